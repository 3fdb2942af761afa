namespace Throttled.Databases.Tests.Contract;

/// <summary>When the orderings go back, every open query ends. New queries read the journal as it is.</summary>
public abstract class RewindContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    /// <summary>How the journal goes back.</summary>
    public enum Rewind
    {
        /// <summary>All rows are deleted, and orderings begin at 1.</summary>
        Truncated,

        /// <summary>The tables are dropped and created.</summary>
        Recreated,

        /// <summary>An older copy is restored.</summary>
        Restored,
    }

    public static TheoryData<Rewind, TagMode, int> Rewinds()
    {
        var data = new TheoryData<Rewind, TagMode, int>();
        foreach (var how in Enum.GetValues<Rewind>())
        {
            // With the events that are written at once after the rewind, the journal is shorter or longer than before.
            foreach (var written in (int[])[0, 7, 100])
            {
                data.Add(how, TagMode.TagTable, written);
                data.Add(how, TagMode.Csv, written);
            }
        }
        return data;
    }

    [ContractTheory]
    [InlineData(Rewind.Truncated, TagMode.TagTable, 0)]
    [InlineData(Rewind.Recreated, TagMode.Csv, 7)]
    [InlineData(Rewind.Restored, TagMode.TagTable, 100)]
    public Task A_rewind_ends_every_open_query_and_new_ones_go_on(Rewind how, TagMode tags, int written) => RewindAsync(how, tags, written);

    [ContractTheory]
    [MemberData(nameof(Rewinds))]
    [Trait("Category", "Long")]
    public Task A_rewind_ends_every_open_query_however_much_is_written_after_it(Rewind how, TagMode tags, int written) =>
        RewindAsync(how, tags, written);

    private async Task RewindAsync(Rewind how, TagMode tags, int written)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(Selections.Mixed(0, 30));
        var rewind = await PrepareAsync(journal, how);
        await journal.AppendAsync(Selections.Mixed(30, 30));
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 5 }));
        var following = Queries(reader, live: true).Select(query => LiveReading.Of(query)).ToList();
        await meter.UntilFollowingAsync(following.Count);
        var wakeUp = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var paused = Queries(reader, live: true).Concat(Queries(reader, live: false))
            .Select(query => LiveReading.Of(query, _ => wakeUp.Task)).ToList();
        await Wait.UntilAsync(() => paused.TrueForAll(reading => reading.Count == 1), "an event for each paused query");

        await rewind();
        var others = TestEvents.Of("another", 1, written).Select(each => each.With(Selections.Tag)).ToArray();
        if (written > 0)
            await journal.AppendAsync(others);

        await AllEndAsync(following);
        wakeUp.SetResult();
        await AllEndAsync(paused);
        await CheckAnewAsync(journal, reader, [.. Selections.Mixed(0, how == Rewind.Restored ? 30 : 0), .. others]);
    }

    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Two_rewinds_are_noticed_separately(TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        for (var round = 0; round < 3; round++)
        {
            await journal.AppendAsync(Selections.Mixed(0, 20));
            var following = Queries(reader, live: true).Select(query => LiveReading.Of(query)).ToList();
            await meter.UntilFollowingAsync(following.Count);
            await journal.TruncateAsync(restartsNumbers: true);
            await AllEndAsync(following);
        }
    }

    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Deleting_all_events_without_resetting_the_numbering_is_no_rewind(TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(Selections.Mixed(0, 30));
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 5 }));
        var following = Queries(reader, live: true).Select(query => LiveReading.Of(query)).ToList();
        await meter.UntilFollowingAsync(following.Count);
        // A query follows before its reader has taken its last page.
        var before = new Dictionary<LiveReading<string>, IReadOnlyList<string>>();
        foreach (var (reading, query) in following.Zip(Queries(reader, live: false)))
            before[reading] = await reading.UntilAsync((await query.AllAsync()).Count);
        await journal.TruncateAsync(restartsNumbers: false);
        await meter.MoreAsync(3, "keys");
        await journal.AppendAsync(Selections.Mixed(30, 30));

        foreach (var (reading, query) in following.Zip(Queries(reader, live: false)))
        {
            // Items that were delivered before stay; an id is not delivered again.
            var there = await query.AllAsync();
            var given = before[reading];
            var found = await reading.UntilAsync(given.Count + there.Except(given).Count());
            Assert.Equal(given.Concat(there.Except(given)).Order(), found.Order());
            await reading.DisposeAsync();
        }
    }

    private static async Task<Func<Task>> PrepareAsync(JournalUnderTest journal, Rewind how) => how switch
    {
        Rewind.Truncated => () => journal.TruncateAsync(restartsNumbers: true),
        Rewind.Recreated => journal.RecreateAsync,
        _ => await journal.CopyAsync(),
    };

    private static async Task AllEndAsync(List<LiveReading<string>> readings)
    {
        foreach (var reading in readings)
        {
            var error = await Assert.ThrowsAsync<JournalRewoundException>(
                () => reading.Ended.WithinAsync("the end of a query after a rewind"));
            Assert.Contains("went back", error.Message, StringComparison.Ordinal);
        }
    }

    private static async Task CheckAnewAsync(JournalUnderTest journal, JournalReader reader, JournalEvent[] there)
    {
        var readings = Enum.GetValues<Selection>().Select(selection => (selection, LiveReading.Of(reader.Read(selection, live: true)))).ToList();
        foreach (var (selection, reading) in readings)
        {
            (await reader.Read(selection, live: false).AllAsync()).AreExactly(selection.Of(there));
            await reading.UntilAsync(selection.Of(there).Count);
        }
        JournalEvent[] more = [.. Selections.Mixed(30, 40)];
        await journal.AppendAsync(more);
        foreach (var (selection, reading) in readings)
        {
            var expected = selection.Of([.. there, .. more]);
            (await reading.UntilAsync(expected.Count)).AreExactly(expected);
            await reading.DisposeAsync();
        }
    }

    private static List<IAsyncEnumerable<string>> Queries(JournalReader reader, bool live) =>
    [
        .. Enum.GetValues<Selection>().Select(selection => reader.Read(selection, live).Select(TestEvents.TextOf)),
        reader.Events(live, "id-0").Select(TestEvents.TextOf), reader.Ids(live),
    ];
}
