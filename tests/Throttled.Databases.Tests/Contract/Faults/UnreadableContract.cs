namespace Throttled.Databases.Tests.Contract;

/// <summary>An unreadable row ends only the query that needs it.</summary>
public abstract class UnreadableContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task An_unreadable_row_fails_only_the_query_of_a_statement_that_wants_it(TagMode tags)
    {
        var journal = await NewJournalAsync(Layouts.Named("default", tags));
        var ids = TestEvents.Ids("id", 200);
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 12), .. TestEvents.Of("culprit", 1, 12)]);
        await journal.PoisonAsync("culprit");
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 5, MaxConcurrentQueries = 1 }));
        await using var before = new Crowd(reader, ids[..100]);
        await using var culprit = LiveReading.Of(reader.EventsByPersistenceId("culprit"));
        await using var behind = new Crowd(reader, ids[100..]);

        await before.UntilAsync(100 * 12);
        await behind.UntilAsync(100 * 12);

        var error = await Assert.ThrowsAsync<JournalException>(() => culprit.Ended.WithinAsync("the culprit's failure"));
        Assert.Contains("'culprit'", error.Message, StringComparison.Ordinal);
        await meter.UntilFollowingAsync(200);
    }

    [ContractFact]
    public async Task An_unreadable_row_fails_only_the_live_query_that_wants_it()
    {
        var journal = await NewJournalAsync();
        var ids = TestEvents.Ids("id", 50);
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 3)]);
        await journal.PoisonAsync("culprit");
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var crowd = new Crowd(reader, ids);
        await using var culprit = LiveReading.Of(reader.EventsByPersistenceId("culprit"));
        await meter.UntilFollowingAsync(51);

        await journal.AppendAsync([.. TestEvents.OfEach(ids, 4, 1), TestEvents.One("culprit", 1), .. TestEvents.OfEach(ids, 5, 1)]);

        await crowd.UntilAsync(50 * 5);
        await Assert.ThrowsAsync<JournalException>(() => culprit.Ended.WithinAsync("the culprit's failure"));
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 6, 1)]);
        await crowd.UntilAsync(50 * 6);
    }
}
