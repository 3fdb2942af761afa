namespace Throttled.Databases.Tests.Contract;

/// <summary>Queries in journal order deliver existing events, and live queries also new ones.</summary>
public abstract class OrderedContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    [ContractTheory]
    [MemberData(nameof(Selections.CurrentAndLive), MemberType = typeof(Selections))]
    public async Task Existing_events_come_in_journal_order(Selection selection, TagMode tags, bool live)
    {
        var journal = await NewJournalAsync(tags);
        await AppendAsync(journal, 20, 1, 40);
        var expected = selection.Of(Selections.Mixed(0, 61));

        (await journal.OpenReader().AllAsync(selection, live, expected.Count)).AreExactly(expected);
    }

    [ContractTheory]
    [MemberData(nameof(Selections.InBothModes), MemberType = typeof(Selections))]
    public async Task A_live_query_of_an_empty_journal_delivers_new_events(Selection selection, TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var live = LiveReading.Of(reader.Read(selection, live: true));
        await meter.UntilFollowingAsync(1);

        await GoOnAsync(journal, live, selection, 0);
    }

    [ContractTheory]
    [MemberData(nameof(Selections.InBothModes), MemberType = typeof(Selections))]
    public async Task A_live_query_goes_on_after_the_existing_events(Selection selection, TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        await AppendAsync(journal, 70);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 10 }));
        await using var live = LiveReading.Of(reader.Read(selection, live: true));
        await meter.UntilFollowingAsync(1);

        await GoOnAsync(journal, live, selection, 70);
    }

    [ContractTheory]
    [MemberData(nameof(Selections.InBothModes), MemberType = typeof(Selections))]
    public async Task A_current_query_of_an_empty_journal_is_empty(Selection selection, TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        var reader = journal.OpenReader();

        Assert.Empty(await reader.Read(selection, live: false).AllAsync());
        await AppendAsync(journal, 3);
        (await reader.Read(selection, live: false).AllAsync()).AreExactly(selection.Of(Selections.Mixed(0, 3)));
    }

    [ContractTheory]
    [InlineData(Selection.All, TagMode.Csv)]
    public Task A_current_query_ends_while_others_write(Selection selection, TagMode tags) =>
        ReadBesideAWriterAsync(selection, tags, reads: 3);

    [ContractTheory]
    [MemberData(nameof(Selections.InBothModes), MemberType = typeof(Selections))]
    [Trait("Category", "Long")]
    public Task Many_current_queries_end_while_others_write(Selection selection, TagMode tags) =>
        ReadBesideAWriterAsync(selection, tags, reads: 8);

    private async Task ReadBesideAWriterAsync(Selection selection, TagMode tags, int reads)
    {
        var journal = await NewJournalAsync(tags);
        var reader = journal.OpenReader(new() { MaxBufferSize = 20 });
        using var stop = new CancellationTokenSource();
        var written = 0;
        var writing = Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                await AppendFromAsync(journal, written, 5);
                Volatile.Write(ref written, written + 5);
            }
        });

        for (var i = 0; i < reads; i++)
        {
            var before = selection.Of(Selections.Mixed(0, Volatile.Read(ref written))).Count;
            var found = await reader.Read(selection, live: false).AllAsync();
            Assert.True(found.Count >= before, $"{found.Count} of {before} events that were there.");
            found.AreExactly(selection.Of(Selections.Mixed(0, 2 * found.Count * 9)).Take(found.Count));
        }
        await stop.CancelAsync();
        await writing;
    }

    [ContractTheory]
    [MemberData(nameof(Selections.InBothModes), MemberType = typeof(Selections))]
    public async Task Many_queries_of_the_same_events_each_get_all_of_them(Selection selection, TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        await AppendAsync(journal, 60);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 7, MaxConcurrentQueries = 2 }));
        var readings = Enumerable.Range(0, 30).Select(_ => LiveReading.Of(reader.Read(selection, live: true))).ToList();
        var current = await Task.WhenAll(Enumerable.Range(0, 10).Select(_ => reader.Read(selection, live: false).AllAsync()));
        await meter.UntilFollowingAsync(30);
        await AppendFromAsync(journal, 60, 60);
        var expected = selection.Of(Selections.Mixed(0, 120));

        Assert.All(current, found => found.AreExactly(selection.Of(Selections.Mixed(0, 60))));
        foreach (var reading in readings)
        {
            await reading.UntilAsync(expected.Count);
            await reading.DisposeAsync();
            reading.Events.AreExactly(expected);
        }
    }

    [ContractTheory]
    [MemberData(nameof(Selections.CurrentAndLive), MemberType = typeof(Selections))]
    public async Task Each_enumeration_of_a_query_starts_again(Selection selection, TagMode tags, bool live)
    {
        var journal = await NewJournalAsync(tags);
        await AppendAsync(journal, 30);
        var expected = selection.Of(Selections.Mixed(0, 30));
        var query = journal.OpenReader(new() { MaxBufferSize = 4 }).Read(selection, live);

        var together = await Task.WhenAll(query.FirstAsync(expected.Count), query.FirstAsync(expected.Count));

        Assert.All([.. together, await query.FirstAsync(expected.Count)], found => found.AreExactly(expected));
    }

    private static Task AppendFromAsync(JournalUnderTest journal, int from, int count) => journal.AppendAsync(Selections.Mixed(from, count));

    private static async Task AppendAsync(JournalUnderTest journal, params int[] transactions)
    {
        var from = 0;
        foreach (var count in transactions)
        {
            await AppendFromAsync(journal, from, count);
            from += count;
        }
    }

    // One event at a time, then many at once. Each time except the last, the tail has found the last event before the next is written.
    private static async Task GoOnAsync(JournalUnderTest journal, LiveReading<JournalEvent> live, Selection selection, int written)
    {
        foreach (var count in (int[])[1, 1, 1, 20, 1, 9])
        {
            await AppendFromAsync(journal, written, count);
            written += count;
            await live.UntilAsync(selection.Of(Selections.Mixed(0, written)).Count);
        }
        await AppendFromAsync(journal, written, 5);
        await AppendFromAsync(journal, written + 5, 5);
        var expected = selection.Of(Selections.Mixed(0, written + 10));
        (await live.UntilAsync(expected.Count)).AreExactly(expected);
    }
}
