namespace Throttled.Databases.Tests.Contract;

/// <summary>A position is an ordering, the same in every query. A query from it returns the events above it.</summary>
public abstract class PositionContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const int Events = 40;

    [ContractTheory]
    [MemberData(nameof(Selections.CurrentAndLive), MemberType = typeof(Selections))]
    public async Task A_query_from_any_position_returns_the_events_above_it(Selection selection, TagMode tags, bool live)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(Selections.Mixed(0, Events));
        // With gaps, so that some positions have no event.
        await journal.RemoveAsync("id-2", 2, 3);
        var reader = journal.OpenReader(new() { MaxBufferSize = 5 });
        var all = await reader.CurrentAllEvents().AllAsync();
        Assert.Equal(Events - 2, all.Count);

        for (var position = 0L; position <= all[^1].Ordering + 1; position++)
        {
            var expected = selection.Of(all.Where(each => each.Ordering > position));
            (await reader.AllAsync(selection, live, expected.Count, position)).AreExactly(expected);
        }
    }

    [ContractTheory]
    [MemberData(nameof(Selections.CurrentAndLive), MemberType = typeof(Selections))]
    public async Task A_query_that_resumes_from_a_stored_position_misses_nothing(Selection selection, TagMode tags, bool live)
    {
        var journal = await NewJournalAsync(tags);
        List<JournalEvent> found = [];
        var (written, position) = (0, 0L);
        // Some runs use a new reader.
        var reader = journal.OpenReader(new() { MaxBufferSize = 4 });
        for (var run = 0; run < 12; run++)
        {
            await journal.AppendAsync(Selections.Mixed(written, 9));
            written += 9;
            if (run % 3 == 2)
                reader = journal.OpenReader(new() { MaxBufferSize = 3 });
            found.AddRange(await reader.Read(selection, live, position).FirstAsync(2));
            position = found[^1].Ordering;
        }

        var expected = selection.Of(Selections.Mixed(0, written));
        found.AddRange(await reader.AllAsync(selection, live, expected.Count - found.Count, position));
        found.AreExactly(expected);
    }

    [ContractTheory]
    [MemberData(nameof(Selections.InBothModes), MemberType = typeof(Selections))]
    public async Task A_current_query_from_the_end_is_empty(Selection selection, TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(Selections.Mixed(0, Events));
        var reader = journal.OpenReader();
        var last = (await reader.CurrentAllEvents().AllAsync())[^1].Ordering;

        foreach (var position in (long[])[last, last + 1, last + 1_000_000, long.MaxValue])
            Assert.Empty(await reader.Read(selection, live: false, position).AllAsync());
    }

    [ContractTheory]
    [MemberData(nameof(Selections.InBothModes), MemberType = typeof(Selections))]
    public async Task A_live_query_from_beyond_the_end_waits_until_the_journal_has_passed_it(Selection selection, TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(Selections.Mixed(0, Events));
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 5 }));
        var last = (await reader.CurrentAllEvents().AllAsync())[^1].Ordering;
        await using var never = LiveReading.Of(reader.Read(selection, live: true, long.MaxValue - 1));
        await using var ahead = LiveReading.Of(reader.Read(selection, live: true, last + 15));
        await meter.UntilFollowingAsync(2);

        await journal.AppendAsync(Selections.Mixed(Events, 10));
        await journal.AppendAsync(Selections.Mixed(Events + 10, 30));

        var all = await reader.CurrentAllEvents().AllAsync();
        var expected = selection.Of(all.Where(each => each.Ordering > last + 15));
        (await ahead.UntilAsync(expected.Count)).AreExactly(expected);
        Assert.Equal(0, never.Count);
        Assert.False(never.Ended.IsCompleted, "The query that waits has ended.");
    }

    [ContractTheory]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    public async Task A_negative_position_is_refused(long position)
    {
        var reader = (await NewAbsentJournalAsync()).OpenReader();

        foreach (var selection in Enum.GetValues<Selection>())
        {
            Assert.Throws<ArgumentOutOfRangeException>("after", () => reader.Read(selection, live: true, position));
            Assert.Throws<ArgumentOutOfRangeException>("after", () => reader.Read(selection, live: false, position));
        }
    }
}
