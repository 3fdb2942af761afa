namespace Throttled.Databases.Tests.Contract;

/// <summary>The query returns each persistence id with events once.</summary>
public abstract class PersistenceIdsContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private static readonly string[] Unusual =
    [
        "a", "A", "a ", " a", " ", "it's", "\"quoted\"", "100%", "_", "a\\b", "a;b", "Zoë/事件/🎫", "e\u0301", "é", "a\tb\nc",
        new('x', 255), new('界', 255),
    ];

    [ContractTheory]
    [InlineData(false, 1)]
    [InlineData(true, 1)]
    [InlineData(false, 2)]
    [InlineData(true, 2)]
    [InlineData(false, 500)]
    [InlineData(true, 500)]
    public async Task Each_id_comes_once(bool live, int page)
    {
        var journal = await NewJournalAsync();
        string[] ids = [.. TestEvents.Ids("id", 60), .. journal.Distinct(Unusual)];
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 4)]);
        var reader = journal.OpenReader(new() { MaxBufferSize = page });

        Same(ids, await reader.Ids(live).FirstAsync(ids.Length));
        Same(ids, await reader.Ids(live: false).AllAsync());
    }

    [ContractTheory]
    [InlineData(0)]
    [InlineData(300)]
    public async Task A_live_query_delivers_new_ids(int before)
    {
        var journal = await NewJournalAsync();
        string[] ids = [.. TestEvents.Ids("id", before)];
        if (before > 0)
            await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 2)]);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 20 }));
        await using var live = LiveReading.Of(reader.PersistenceIds());
        await live.UntilAsync(before);

        await journal.AppendAsync("new", 1, 1);
        await live.UntilAsync(before + 1);
        // New events of known ids, with two new ids among them.
        await journal.AppendAsync([.. TestEvents.OfEach([.. ids, "newer"], 3, 1), .. TestEvents.OfEach(["newest"], 1, 3)]);
        await live.UntilAsync(before + 3);
        await meter.MoreAsync(2, "keys");

        Same([.. ids, "new", "newer", "newest"], live.Events);
    }

    [ContractFact]
    public async Task Many_queries_each_get_all_ids()
    {
        var journal = await NewJournalAsync();
        var ids = TestEvents.Ids("id", 1_000);
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 1)]);
        var reader = journal.OpenReader(new() { MaxBufferSize = 50 });
        var readings = Enumerable.Range(0, 20).Select(_ => LiveReading.Of(reader.PersistenceIds())).ToList();
        await readings[0].UntilAsync(300);
        readings.AddRange(Enumerable.Range(0, 20).Select(_ => LiveReading.Of(reader.PersistenceIds())));
        var current = await Task.WhenAll(Enumerable.Range(0, 5).Select(_ => reader.CurrentPersistenceIds().AllAsync()));
        await journal.AppendAsync("last", 1, 1);

        Assert.All(current, found => Assert.Equal(1_000, found.Except(["last"]).Count()));
        foreach (var reading in readings)
        {
            Same([.. ids, "last"], await reading.UntilAsync(1_001));
            await reading.DisposeAsync();
        }
    }

    [ContractFact]
    public async Task An_id_comes_while_one_of_its_events_exists()
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync([.. TestEvents.OfEach(["whole", "part", "marked", "gone", "tombstone"], 1, 3)]);
        await journal.MarkDeletedAsync("part", 1, 2);
        await journal.MarkDeletedAsync("marked", 1, 3);
        await journal.RemoveAsync("gone", 1, 3);
        await journal.MarkDeletedAsync("tombstone", 1, 3);
        await journal.RemoveAsync("tombstone", 1, 2);
        var reader = journal.OpenReader(new() { MaxBufferSize = 2 });

        Same(["whole", "part"], await reader.CurrentPersistenceIds().AllAsync());
        await using var live = LiveReading.Of(reader.PersistenceIds());
        await live.UntilAsync(2);
        await journal.AppendAsync("tombstone", 4, 1);
        await journal.AppendAsync("marked", 4, 1);
        Same(["whole", "part", "tombstone", "marked"], await live.UntilAsync(4));
        Same(["whole", "part", "tombstone", "marked"], await reader.CurrentPersistenceIds().AllAsync());
    }

    [ContractFact]
    public async Task A_paused_reader_gets_the_ids_that_came_meanwhile()
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync([.. TestEvents.OfEach(TestEvents.Ids("id", 100), 1, 1)]);
        var wakeUp = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var reader = journal.OpenReader(new() { MaxBufferSize = 10, MaxBufferedBytes = 100 });
        var events = 0;
        await using var paused = LiveReading.Of(reader.PersistenceIds(), _ => ++events == 15 ? wakeUp.Task : Task.CompletedTask);
        await using var awake = LiveReading.Of(reader.PersistenceIds());
        await using var other = LiveReading.Of(reader.AllEvents());
        await awake.UntilAsync(100);

        await journal.AppendAsync([.. TestEvents.OfEach(TestEvents.Ids("more", 100), 1, 1)]);
        await awake.UntilAsync(200);
        await other.UntilAsync(200);
        wakeUp.SetResult();

        Same(awake.Events, await paused.UntilAsync(200));
    }

    [ContractFact]
    public async Task An_empty_journal_has_no_ids()
    {
        var journal = await NewJournalAsync();

        Assert.Empty(await journal.OpenReader().CurrentPersistenceIds().AllAsync());
    }

    private static void Same(IEnumerable<string> expected, IEnumerable<string> found) =>
        Assert.Equal(expected.Order(StringComparer.Ordinal), found.Order(StringComparer.Ordinal));
}
