using Akka.Persistence.Query.Throttled.Tests.Faults.World;
using Akka.Streams.Dsl;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Sharding;

/// <summary>An unavailable shard stops only the queries that need it.</summary>
public sealed class ShardUnavailableTests
{
    private const int Events = 5;

    [Fact]
    public async Task While_one_shard_is_unavailable_the_other_is_delivered_and_nothing_is_lost()
    {
        using var first = new JournalFile();
        using var second = new JournalFile();
        string[] databases = [first.ConnectionString, second.ConnectionString];
        string[] ids = [IdIn(0), IdIn(1)];
        await using (var appender = ShardedJournal.OpenAppender(databases, SqliteJournal.OpenAppender))
        {
            await appender.CreateAsync();
            await appender.AppendAsync([.. ids.SelectMany(id => Enumerable.Range(1, Events).Select(number => Event(id, number)))]);
        }
        File.Move(second.Path, second.Path + ".removed");
        await using var side = ReadSide.Of($"shards = [\"{databases[0]}\", \"{databases[1]}\"]\nprovider-name = SQLite\nrefresh-interval = 20ms");

        await using var merged = LiveReading.Of(side.Journal.AllEvents(Offset.NoOffset()).RunAsAsyncEnumerable(side.Materializer));
        await using var current = LiveReading.Of(side.Journal.CurrentAllEvents(Offset.NoOffset()).RunAsAsyncEnumerable(side.Materializer));
        await using var unavailable = LiveReading.Of(side.Journal.EventsByPersistenceId(ids[1], 0, long.MaxValue).RunAsAsyncEnumerable(side.Materializer));
        Assert.All(await merged.UntilAsync(Events), each => Assert.Equal(ids[0], each.PersistenceId));
        var there = await side.Journal.CurrentEventsByPersistenceId(ids[0], 0, long.MaxValue).RunWith(Sink.Seq<EventEnvelope>(), side.Materializer).WithinAsync("the available shard");
        Assert.Equal(Events, there.Count);
        await Wait.UntilAsync(() => side.Log.Any(each => $"{each.Message}".Contains("Shard 1 (slices 512-1023): ", StringComparison.Ordinal)), "a warning that names the shard");
        Assert.Equal((0, false, false), (unavailable.Count, merged.Ended.IsCompleted, current.Ended.IsCompleted));

        File.Move(second.Path + ".removed", second.Path);
        var all = await merged.UntilAsync(2 * Events);
        await unavailable.UntilAsync(Events);
        await current.Ended.WithinAsync("the end of a current query, which waits for all shards");
        Assert.Equal(ids.Order(), all.Select(each => each.PersistenceId).Distinct().Order());
        Assert.All(ids, id => Assert.Equal(Enumerable.Range(1, Events).Select(n => (long)n), all.Where(each => each.PersistenceId == id).Select(each => each.SequenceNr)));
        Assert.Equal("0-511:5,512-1023:5", all[^1].Offset.ToString());
        Assert.Equal(2 * Events, current.Count);
    }

    private static string IdIn(int shard) => Enumerable.Range(0, 1_000).Select(i => $"id-{i}").First(id => ShardMap.Even(2).ShardOf(id) == shard);

    private static JournalEvent Event(string id, int number) => new() { PersistenceId = id, SequenceNumber = number, Payload = new byte[] { 1 }, SerializerId = 4 };
}
