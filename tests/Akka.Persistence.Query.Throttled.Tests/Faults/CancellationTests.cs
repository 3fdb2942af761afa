using Akka.Persistence.Query.Throttled.Tests.Faults.World;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Streams;
using Akka.Streams.Dsl;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Faults;

/// <summary>Streams that are cancelled while the database is slow end their own statements, and no others.</summary>
public abstract class CancellationsOf(int streams, ITestOutputHelper output)
{
    private const int Permits = 10;
    private readonly string[] _ids = TestEvents.Ids("id", streams);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Cancelled_streams_end_their_own_statements_on_a_locked_table_and_no_other()
    {
        await using var journal = await NewJournalAsync();
        await using var side = ReadSide.Of(journal.Settings($"max-concurrent-queries = {Permits}, max-queries-per-statement = 5"));
        await side.HasReadAsync();
        var tableLock = await journal.LockAsync();
        var others = EveryQuery.Live(side, 5);
        var streams = _ids.Select(id => Start(side, id)).ToList();
        await journal.UntilRunningAsync(running => running > 5);

        foreach (var (stop, _) in streams)
            stop.Shutdown();
        await Task.WhenAll(streams.Select(stream => stream.Ended)).WithinAsync("the end of all that were cancelled");
        // The requests of the other streams are left: 25 by id in shared statements, and one each for tag, all, slices and ids.
        await Wait.UntilAsync(() => side.Meter.Waiting <= 45, () => $"only the other streams in the queue; {side.Meter.Waiting} wait");
        Assert.DoesNotContain(others, stream => stream.IsCompleted);
        await tableLock.DisposeAsync();

        Assert.All(await Task.WhenAll(others).WithinAsync("the events of the other streams"), missing => Assert.Equal(0, missing));
        await PermitsAreBackAsync(side, journal);
    }

    [PostgreSqlFact]
    public async Task The_last_cancelled_stream_leaves_no_statement_behind()
    {
        await using var journal = await NewJournalAsync();
        await using var side = ReadSide.Of(journal.Settings($"max-concurrent-queries = {Permits}, max-queries-per-statement = 5"));
        await side.HasReadAsync();
        await using var tableLock = await journal.LockAsync();
        var streams = _ids.Select(id => Start(side, id)).ToList();
        await journal.UntilRunningAsync(running => running > 5);

        foreach (var (stop, _) in streams)
            stop.Shutdown();

        // The table is still locked, so statements end only because they were cancelled.
        await PermitsAreBackAsync(side, journal);
    }

    [PostgreSqlFact]
    public async Task Streams_that_are_cancelled_at_random_moments_return_every_permit()
    {
        await using var journal = await NewJournalAsync();
        await journal.ExecuteAsync(
            """
            ALTER TABLE journal RENAME TO stored;
            CREATE VIEW journal AS SELECT stored.* FROM stored, (SELECT pg_sleep(0.01)) AS slow
            """);
        await using var side = ReadSide.Of(journal.Settings($"max-concurrent-queries = {Permits}, max-queries-per-statement = 3, max-buffer-size = 2"));
        var seed = Random.Shared.Next();
        var random = new Random(seed);
        await using var connection = await journal.Sql.OpenConnectionAsync();
        var streams = _ids.Select(id => Start(side, id, cancelAfter: random.Next(20))).ToList();
        var most = 0L;
        await Wait.UntilAsync(async () => (most = await connection.ScalarAsync<long>(ServerJournal.Running())) > 0, () => "a statement");
        var waiting = new List<(UniqueKillSwitch Stop, Task Ended)>(streams);
        while (waiting.Count > 0)
        {
            var index = random.Next(waiting.Count);
            waiting[index].Stop.Shutdown();
            waiting.RemoveAt(index);
            if (random.Next(5) == 0)
                most = Math.Max(most, await connection.ScalarAsync<long>(ServerJournal.Running()));
        }

        await Task.WhenAll(streams.Select(stream => stream.Ended)).WithinAsync("the end of all that were cancelled");
        await PermitsAreBackAsync(side, journal);
        output.WriteLine($"Seed {seed}: at most {most} statements; {side.Meter}");
        Assert.InRange(most, 1, Permits + 1);
        var after = await side.Journal.CurrentEventsByPersistenceId(_ids[0], 0, long.MaxValue).RunWith(Sink.Seq<EventEnvelope>(), side.Materializer);
        Assert.Equal(20, after.Count);
    }

    // A stream ends after some events, or by its kill switch.
    private static (UniqueKillSwitch Stop, Task Ended) Start(ReadSide side, string id, int cancelAfter = int.MaxValue) => side.Journal
        .EventsByPersistenceId(id, 0, long.MaxValue)
        .ViaMaterialized(KillSwitches.Single<EventEnvelope>(), Keep.Right)
        .Take(cancelAfter)
        .ToMaterialized(Sink.Ignore<EventEnvelope>(), (stop, ended) => (stop, (Task)ended))
        .Run(side.Materializer);

    private async Task<ServerJournal> NewJournalAsync()
    {
        var journal = await ServerJournal.CreateAsync(SharedServer.Server);
        await journal.AppendAsync(EveryQuery.NewEvents());
        await journal.AppendAsync(_ids.Skip(5).Take(5).Append("id-0").SelectMany(id => Events(id, id == "id-0" ? 5 : 1)));
        return journal;
    }

    private static IEnumerable<JournalEvent> Events(string id, int from) => Enumerable.Range(from, 21 - from).Select(
        number => new JournalEvent { PersistenceId = id, SequenceNumber = number, Payload = new byte[] { 1 }, SerializerId = 4 });

    private static async Task PermitsAreBackAsync(ReadSide side, ServerJournal journal)
    {
        await Wait.UntilAsync(() => side.Meter is { PermitsUsed: 0, Waiting: 0 }, () => $"no permit in use; there are {side.Meter.PermitsUsed}");
        await using var connection = await journal.Sql.OpenConnectionAsync();
        Assert.Equal(0, await connection.ScalarAsync<long>(ServerJournal.RunningPages));
    }
}

public sealed class CancellationTests(ITestOutputHelper output) : CancellationsOf(50, output);

[Trait("Category", "Long")]
public sealed class ManyCancellationsTests(ITestOutputHelper output) : CancellationsOf(Math.Max(100, LongShare.Of(1_000)), output);
