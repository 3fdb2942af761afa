namespace Throttled.Databases.Tests.Contract;

/// <summary>The sizes of pages, statements and buffers do not change the result of a query in journal order.</summary>
public abstract class OrderedPageContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const int Events = 100;
    private static readonly TimeSpan Soon = TimeSpan.FromMilliseconds(20);

    [ContractTheory]
    [MemberData(nameof(Selections.InBothModes), MemberType = typeof(Selections))]
    public async Task Every_page_and_statement_size_gives_the_same_events(Selection selection, TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(Selections.Mixed(0, Events));
        var expected = selection.Of(Selections.Mixed(0, Events));

        foreach (var (page, rows) in ((int, int)[])[(1, 1), (1, 10_000), (2, 3), (3, 2), (3, 10_000), (10_000, 7), (500, 10_000)])
        {
            await using var reader = journal.OpenReader(new() { MaxBufferSize = page, MaxRowsPerStatement = rows });
            (await reader.AllAsync(selection, live: false, expected.Count)).AreExactly(expected);
            (await reader.AllAsync(selection, live: true, expected.Count)).AreExactly(expected);
        }
    }

    [ContractTheory]
    [MemberData(nameof(Selections.InBothModes), MemberType = typeof(Selections))]
    public async Task Live_queries_go_on_with_every_page_size(Selection selection, TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(Selections.Mixed(0, 10));
        foreach (var page in (int[])[1, 2, 3])
        {
            var written = 10 + ((page - 1) * 60);
            var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = page, RefreshInterval = Soon }));
            await using var live = LiveReading.Of(reader.Read(selection, live: true));
            await meter.UntilFollowingAsync(1);

            await journal.AppendAsync(Selections.Mixed(written, 1));
            await journal.AppendAsync(Selections.Mixed(written + 1, 40));
            await live.UntilAsync(selection.Of(Selections.Mixed(0, written + 41)).Count);
            await journal.AppendAsync(Selections.Mixed(written + 41, 19));

            var expected = selection.Of(Selections.Mixed(0, written + 60));
            (await live.UntilAsync(expected.Count)).AreExactly(expected);
        }
    }

    [ContractTheory]
    [MemberData(nameof(Selections.InBothModes), MemberType = typeof(Selections))]
    public async Task A_paused_reader_gets_all_events_that_came_meanwhile(Selection selection, TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(Selections.Mixed(0, Events));
        var reader = journal.OpenReader(new() { MaxBufferSize = 20, RefreshInterval = Soon });
        var wakeUp = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        // At the first event, in the middle of a page, at its end, and at the last existing event.
        var there = selection.Of(Selections.Mixed(0, Events)).Count;
        int[] pausesAt = [1, 13, 20, there];
        var readings = pausesAt.Select(at => LiveReading.Of(reader.Read(selection, live: true), PauseAt(at, wakeUp.Task))).ToList();
        await using var awake = LiveReading.Of(reader.Read(selection, live: true));
        await awake.UntilAsync(there);

        for (var written = Events; written < 5 * Events; written += 20)
            await journal.AppendAsync(Selections.Mixed(written, 20));
        var expected = selection.Of(Selections.Mixed(0, 5 * Events));
        (await awake.UntilAsync(expected.Count)).AreExactly(expected);
        wakeUp.SetResult();

        foreach (var reading in readings)
        {
            (await reading.UntilAsync(expected.Count)).AreExactly(expected);
            await reading.DisposeAsync();
        }
    }

    [ContractTheory]
    [InlineData(TagMode.TagTable, 8_000)]
    public Task Payloads_above_the_byte_limit_are_all_delivered(TagMode tags, long budget) => GiveLargeAsync(tags, budget, events: 10);

    [ContractTheory]
    [InlineData(TagMode.TagTable, 1)]
    [InlineData(TagMode.Csv, 1)]
    [InlineData(TagMode.TagTable, 8_000)]
    [InlineData(TagMode.Csv, 8_000)]
    [Trait("Category", "Long")]
    public Task Many_payloads_above_the_byte_limit_are_all_delivered(TagMode tags, long budget) => GiveLargeAsync(tags, budget, events: 25);

    private async Task GiveLargeAsync(TagMode tags, long budget, int events)
    {
        var journal = await NewJournalAsync(tags);
        await AppendLargeAsync(journal, 0, events);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(
            new() { MaxBufferedBytes = budget, MaxBufferSize = 5, MaxConcurrentQueries = 2, RefreshInterval = Soon }));
        var wakeUp = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var selections = Enum.GetValues<Selection>();
        var paused = selections.Select(each => (each, LiveReading.Of(reader.Read(each, live: true), PauseAt(2, wakeUp.Task)))).ToList();
        var awake = selections.Select(each => (each, LiveReading.Of(reader.Read(each, live: true)))).ToList();
        await CheckAsync(awake, events);

        await AppendLargeAsync(journal, events, events);

        await CheckAsync(awake, 2 * events);
        wakeUp.SetResult();
        await CheckAsync(paused, 2 * events);
        foreach (var (_, reading) in awake.Concat(paused))
            await reading.DisposeAsync();
        await Wait.UntilAsync(() => meter.Buffered == 0, () => $"all bytes given back; {meter.Buffered} are left");
    }

    private static async Task CheckAsync(List<(Selection Selection, LiveReading<JournalEvent> Reading)> readings, int written)
    {
        foreach (var (selection, reading) in readings)
        {
            var expected = Selections.Mixed(0, written).Where(each => selection.Wants(each)).ToList();
            var found = await reading.UntilAsync(expected.Count);
            Assert.Equal(expected.Select(PlaceOf), found.Select(PlaceOf));
            Assert.All(found, each => Assert.Equal(4_096, each.Payload.Length));
        }
    }

    private static (string, long) PlaceOf(JournalEvent each) => (each.PersistenceId, each.SequenceNumber);

    private static Task AppendLargeAsync(JournalUnderTest journal, int from, int count) =>
        journal.AppendAsync([.. Selections.Mixed(from, count).Select(each => new JournalEvent
        {
            PersistenceId = each.PersistenceId,
            SequenceNumber = each.SequenceNumber,
            Payload = new byte[4_096],
            Tags = each.Tags,
        })]);

    private static Func<JournalEvent, Task> PauseAt(int count, Task wakeUp)
    {
        var events = 0;
        return _ => ++events == count ? wakeUp : Task.CompletedTask;
    }
}
