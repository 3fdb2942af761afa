namespace Throttled.Databases.Tests.Contract;

/// <summary>Many queries that want the same events at the same time share statements.</summary>
public abstract class SharedStatementsContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const int Queries = 35;
    private const int Events = 20_000;
    private const int Every = 10;

    [ContractTheory]
    [InlineData(TagMode.TagTable, Selection.Tag, 100)]
    [InlineData(TagMode.TagTable, Selection.Tag, 1)]
    [InlineData(TagMode.Csv, Selection.Tag, 100)]
    [InlineData(TagMode.Csv, Selection.Tag, 1)]
    [InlineData(TagMode.TagTable, Selection.All, 1)]
    [InlineData(TagMode.TagTable, Selection.Slices, 1)]
    public async Task Equal_queries_that_catch_up_share_statements(TagMode tags, Selection selection, int permits)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync([.. Enumerable.Range(0, Events).Select(Event)]);
        var wanted = Enumerable.Range(0, Events).Count(i => selection.Wants(Event(i)));
        var alone = await StatementsOfAsync(journal, selection, wanted, 1, permits);

        var together = await StatementsOfAsync(journal, selection, wanted, Queries, permits);

        Output.WriteLine($"{wanted} of {Events} events: {alone} statements for one query, {together} for {Queries}.");
        Assert.True(together < Queries * alone / 3, $"{Queries} queries took {together} statements, one takes {alone}.");
    }

    private async Task<int> StatementsOfAsync(JournalUnderTest journal, Selection selection, int wanted, int queries, int permits)
    {
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxConcurrentQueries = permits }));
        var readings = Enumerable.Range(0, queries).Select(_ => LiveReading.Of(reader.Read(selection, live: true))).ToList();
        foreach (var reading in readings)
            Assert.Equal(wanted, (await reading.UntilAsync(wanted)).Count);
        await meter.UntilFollowingAsync(queries);
        foreach (var reading in readings)
            await reading.DisposeAsync();
        Output.WriteLine($"{queries} queries: {meter}");
        return meter.Of("page");
    }

    private static JournalEvent Event(int i) =>
        TestEvents.One($"id-{i % 100}", (i / 100) + 1).With(i % Every == 0 ? [Selections.Tag] : []);
}
