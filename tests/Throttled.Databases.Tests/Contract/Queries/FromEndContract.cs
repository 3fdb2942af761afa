using Throttled.Journal.Queries;

namespace Throttled.Databases.Tests.Contract;

/// <summary>A query that begins at the n-th last event counts only matching events.</summary>
public abstract class FromEndContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const int Events = 61;

    [ContractTheory]
    [MemberData(nameof(Selections.CurrentAndLive), MemberType = typeof(Selections))]
    public async Task It_returns_the_requested_number_in_journal_order(Selection selection, TagMode tags, bool live)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(Selections.Mixed(0, Events));
        // Several statements are needed, because each reads at most four rows.
        var reader = journal.OpenReader(new() { MaxBufferSize = 4, MaxRowsPerStatement = 4 });
        var all = selection.Of(Selections.Mixed(0, Events));
        foreach (var count in (int[])[1, 2, all.Count - 1, all.Count, all.Count + 1, int.MaxValue])
            (await FromEndAsync(reader, selection, live, count, Math.Min(count, all.Count))).AreExactly(all.TakeLast(count));
    }

    [ContractTheory]
    [MemberData(nameof(Selections.InBothModes), MemberType = typeof(Selections))]
    public async Task Deleted_and_removed_events_do_not_count(Selection selection, TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        var all = Selections.Mixed(0, Events);
        await journal.AppendAsync(all);
        var ids = TestEvents.Ids("id", 7);
        await journal.MarkDeletedAsync(ids[0], 1, Events);
        await journal.RemoveAsync(ids[2], 1, Events);
        var left = selection.Of(all.Where(each => each.PersistenceId != ids[0] && each.PersistenceId != ids[2]));
        (await FromEndAsync(journal.OpenReader(), selection, live: false, 5, 5)).AreExactly(left.TakeLast(5));
    }

    [ContractTheory]
    [MemberData(nameof(Selections.CurrentAndLive), MemberType = typeof(Selections))]
    public async Task An_empty_journal_has_no_last_events_and_new_ones_follow(Selection selection, TagMode tags, bool live)
    {
        var journal = await NewJournalAsync(tags);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        if (!live)
        {
            Assert.Empty(await FromEndAsync(reader, selection, live, 3, 0));
            return;
        }
        await using var reading = LiveReading.Of(Query(reader, selection, live, 3));
        await meter.UntilFollowingAsync(1);
        await journal.AppendAsync(Selections.Mixed(0, Events));
        var expected = selection.Of(Selections.Mixed(0, Events));
        (await reading.UntilAsync(expected.Count)).AreExactly(expected);
    }

    private static async Task<List<JournalEvent>> FromEndAsync(JournalReader reader, Selection selection, bool live, int count, int expected)
    {
        var query = Query(reader, selection, live, count);
        return live ? await query.FirstOrNoneAsync(expected) : await query.AllAsync();
    }

    private static JournalQuery<JournalEvent> Query(JournalReader reader, Selection selection, bool live, int count) =>
        ((JournalQuery<JournalEvent>)reader.Read(selection, live)).FromEnd(count);
}
