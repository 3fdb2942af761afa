using Akka.Persistence.Query.Throttled.Tests.Faults.World;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Streams.Dsl;
using Npgsql;

namespace Akka.Persistence.Query.Throttled.Tests.Faults;

/// <summary>A transaction gets its orderings before it commits, so a lower ordering may be committed after a higher one.</summary>
public sealed class LateCommitTests
{
    private const string Tag = "tag";

    [PostgreSqlTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_event_that_commits_late_is_delivered_in_order(bool commits)
    {
        await using var journal = await ServerJournal.CreateAsync(SharedServer.Server);
        await using var side = ReadSide.Of(journal.Settings("refresh-interval = 20ms"));
        await using var early = await journal.Sql.OpenConnectionAsync();
        await using var late = await journal.Sql.OpenConnectionAsync();
        await InsertAsync(early, "a", 1);
        string[] expected = commits ? ["a/1", "late/1", "b/1", "c/1"] : ["a/1", "b/1", "c/1"];
        List<List<string>> got = [[], []];
        var all = RunAsync(side, side.Journal.AllEvents(Offset.NoOffset()), got[0], expected.Length);
        var tagged = RunAsync(side, side.Journal.EventsByTag(Tag, Offset.NoOffset()), got[1], expected.Length);
        var byId = side.Journal.EventsByPersistenceId("b", 0, 1).RunWith(Sink.Seq<EventEnvelope>(), side.Materializer);
        await side.Meter.UntilFollowingAsync(3);
        await Wait.UntilAsync(() => got.TrueForAll(events => Snapshot(events).Length > 0), "the first event");

        await using var transaction = await late.BeginTransactionAsync();
        await InsertAsync(late, "late", 1);
        await InsertAsync(early, "b", 1);
        // The query by id has the later event already, and the tail has polled again since.
        Assert.Single(await byId.WithinAsync("the event above the gap, by its id"));
        await side.Meter.MoreAsync(3, "keys");
        Assert.All(got, events => Assert.Equal(["a/1"], Snapshot(events)));
        await (commits ? transaction.CommitAsync() : transaction.RollbackAsync());
        await InsertAsync(early, "c", 1);

        await Task.WhenAll(all, tagged).WithinAsync("all events in their order");
        Assert.All(got, events => Assert.Equal(expected, events));
    }

    private static Task RunAsync(ReadSide side, Source<EventEnvelope, NotUsed> source, List<string> got, int count) => source.Take(count).RunForeach(
        each =>
        {
            lock (got)
                got.Add($"{each.PersistenceId}/{each.SequenceNr}");
        },
        side.Materializer);

    private static string[] Snapshot(List<string> events)
    {
        lock (events)
            return [.. events];
    }

    private static Task InsertAsync(NpgsqlConnection connection, string id, int number) => connection.RunAsync(
        $"""
        WITH written AS (
            INSERT INTO journal (deleted, persistence_id, sequence_number, created, message, identifier, manifest)
            VALUES (FALSE, '{id}', {number}, 1, 'x', 4, '') RETURNING ordering)
        INSERT INTO tags (ordering_id, tag, sequence_nr, persistence_id) SELECT ordering, '{Tag}', {number}, '{id}' FROM written
        """);
}
