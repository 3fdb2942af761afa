using Throttled.Faults.World;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.PostgreSql;

/// <summary>The sequence of the orderings gets a cache under open queries. Its locks show nothing of a session's cached numbers then.</summary>
[Collection(AloneCollection.Name)]
public sealed class CacheTests(ITestOutputHelper output)
{
    private const int Each = 3;
    private static readonly TimeSpan MaxWait = TimeSpan.FromMinutes(3);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task A_sequence_that_gets_a_cache_under_very_many_ends_only_queries_in_journal_order()
    {
        using var server = PostgreSqlServer.Start();
        await using var journal = await PostgreSqlHost.CreateAsync(server);
        var ids = TestEvents.Ids("id", LongShare.Of(10_000));
        var ledger = new Ledger();
        await WriteAsync(1);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxQueriesPerStatement = 100 }));
        using var measured = meter;
        await using var crowd = new FeedCrowd(reader, [.. ids.Select(id => new CrowdQuery(CrowdKind.ById, id)), new(CrowdKind.Ids)]);
        List<LiveReading<JournalEvent>> ordered =
            [LiveReading.Of(reader.AllEvents()), LiveReading.Of(reader.EventsByTag("red")), LiveReading.Of(reader.EventsBySlices(0, 1023))];
        await meter.UntilFollowingAsync(crowd.Size + ordered.Count);

        await journal.ExecuteAsync("ALTER SEQUENCE journal_ordering_seq CACHE 20");
        // Each of two sessions draws twenty numbers. The first does not use all of its own before the second writes.
        await using var other = journal.OpenAppender();
        JournalEvent[] one = [TestEvents.One("other", 1)];
        await other.AppendAsync(one);
        ledger.Committed(one);
        await WriteAsync(2);
        foreach (var reading in ordered)
        {
            var refusal = await Assert.ThrowsAsync<JournalException>(() => reading.Ended.WithinAsync("the end of a query in journal order"));
            Assert.Contains("CACHE 20", refusal.Message, StringComparison.Ordinal);
            Assert.Equal(reading.Events.Select(each => each.Ordering).Order(), reading.Events.Select(each => each.Ordering));
            await reading.DisposeAsync();
        }
        await WriteAsync(Each);
        var folds = await ledger.FoldsAsync(journal);
        await crowd.UntilAsync(folds, MaxWait);
        FaultTable.Add(
            output, "ALTER SEQUENCE: CACHE 20", "PostgreSQL", "following", crowd.Size + ordered.Count, ((Each - 1) * ids.Length) + 1, crowd.Lost(folds), crowd.Doubled,
            $"{ordered.Count} (in journal order, refused)", "-", "-");

        // An open reader refuses until it is opened again.
        await journal.ExecuteAsync("ALTER SEQUENCE journal_ordering_seq CACHE 1");
        await using var next = journal.OpenReader();
        Assert.Equal((Each * ids.Length) + 1, await next.CurrentAllEvents().CountAsync());

        async Task WriteAsync(int number)
        {
            JournalEvent[] events = [.. TestEvents.OfEach(ids, number, 1)];
            await journal.AppendAsync(events);
            ledger.Committed(events);
        }
    }
}
