using Akka.Persistence.Query.Throttled.Tests.Faults.World;
using Akka.Streams.Dsl;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Faults;

public sealed class SqliteTests
{
    [Fact]
    public async Task A_long_write_lock_costs_no_stream_and_no_event()
    {
        using var file = new JournalFile();
        await using (var appender = SqliteJournal.OpenAppender(file.ConnectionString))
        {
            await appender.CreateAsync();
            await appender.AppendAsync(EveryQuery.NewEvents());
        }
        // In WAL mode a writer would not block readers.
        file.Execute("PRAGMA journal_mode = DELETE");
        await using var side = ReadSide.Of(file.Settings());
        var followed = 0;
        var following = side.Journal.EventsByPersistenceId("id-0", 0, long.MaxValue).Take(5).RunForeach(_ => followed++, side.Materializer);
        await side.Meter.UntilFollowingAsync(1);

        await using var writer = file.Connect();
        await writer.RunAsync("BEGIN EXCLUSIVE");
        var failed = side.Meter.Statements;
        List<Task<int>> streams = [.. EveryQuery.Live(side, 20), .. EveryQuery.Current(side, 20)];
        // Each statement fails after its busy timeout of a second, and is retried.
        await Wait.UntilAsync(() => side.Meter.Statements >= failed + 2, () => $"two more statements that failed; {side.Meter}");
        Assert.DoesNotContain(streams, stream => stream.IsCompleted);
        await writer.RunAsync("INSERT INTO journal (deleted, persistence_id, sequence_number, created, message, identifier) VALUES (0, 'id-0', 5, 1, x'01', 4)");
        Assert.Equal(4, followed);
        await writer.RunAsync("COMMIT");

        await following.WithinAsync("the event that was written under the lock");
        // One id has five events now, but each stream takes four.
        Assert.All(await Task.WhenAll(streams).WithinAsync("all events in all streams"), missing => Assert.InRange(missing, -1, 0));
    }
}
