namespace Throttled.Databases.Tests.Contract;

/// <summary>Queries in journal order leave deleted events out, however and wherever they were deleted.</summary>
public abstract class OrderedDeletionContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const int Events = 50;

    [ContractTheory]
    [MemberData(nameof(Selections.CurrentAndLive), MemberType = typeof(Selections))]
    public Task Deleted_events_are_left_out(Selection selection, TagMode tags, bool live) =>
        WithoutAsync(selection, tags, live, static (journal, id, to) => journal.MarkDeletedAsync(id, 1, to));

    [ContractTheory]
    [MemberData(nameof(Selections.CurrentAndLive), MemberType = typeof(Selections))]
    public Task Events_that_are_gone_are_left_out(Selection selection, TagMode tags, bool live) =>
        WithoutAsync(selection, tags, live, static (journal, id, to) => journal.RemoveAsync(id, 1, to));

    [ContractTheory]
    [MemberData(nameof(Selections.CurrentAndLive), MemberType = typeof(Selections))]
    public Task Tombstones_are_left_out(Selection selection, TagMode tags, bool live) =>
        WithoutAsync(selection, tags, live, static async (journal, id, to) =>
        {
            await journal.MarkDeletedAsync(id, 1, to);
            await journal.RemoveAsync(id, 1, to - 1);
            await journal.RemoveTagsAsync(id);
        });

    [ContractTheory]
    [MemberData(nameof(Selections.InBothModes), MemberType = typeof(Selections))]
    public async Task If_all_events_are_deleted_a_current_query_is_empty_and_a_live_one_goes_on(Selection selection, TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(Selections.Mixed(0, Events));
        foreach (var id in TestEvents.Ids("id", 7))
            await journal.MarkDeletedAsync(id, 1, Events);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 3 }));

        Assert.Empty(await reader.Read(selection, live: false).AllAsync());
        await using var live = LiveReading.Of(reader.Read(selection, live: true));
        await meter.UntilFollowingAsync(1);
        await journal.AppendAsync(Selections.Mixed(Events, 10));

        var expected = selection.Of(Selections.Mixed(Events, 10));
        (await live.UntilAsync(expected.Count)).AreExactly(expected);
    }

    [ContractTheory]
    [MemberData(nameof(Selections.InBothModes), MemberType = typeof(Selections))]
    public async Task A_live_query_passes_events_that_were_deleted_before_they_were_read(Selection selection, TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var live = LiveReading.Of(reader.Read(selection, live: true));
        await meter.UntilFollowingAsync(1);
        await using (var transaction = await journal.BeginAsync())
        {
            await transaction.InsertAsync(Selections.Mixed(0, 20));
            await transaction.RunAsync($"UPDATE {journal.Table} SET {journal.Quote(journal.Tables.DeletedColumn)} = {journal.True} "
                + $"WHERE {journal.Quote(journal.Tables.PersistenceIdColumn)} IN ('id-1', 'id-2')");
            await transaction.RunAsync(
                $"DELETE FROM {journal.Table} WHERE {journal.Quote(journal.Tables.PersistenceIdColumn)} IN ('id-3', 'id-6')");
            await transaction.CommitAsync();
        }
        await journal.AppendAsync(Selections.Mixed(20, 20));

        string[] gone = ["id-1", "id-2", "id-3", "id-6"];
        List<string> expected =
        [
            .. selection.Of(Selections.Mixed(0, 20).Where(each => !gone.Contains(each.PersistenceId))),
            .. selection.Of(Selections.Mixed(20, 20)),
        ];
        (await live.UntilAsync(expected.Count)).AreExactly(expected);
    }

    // Some at the beginning, some in between, and the newest one.
    private async Task WithoutAsync(Selection selection, TagMode tags, bool live, Func<JournalUnderTest, string, long, Task> delete)
    {
        var journal = await NewJournalAsync(tags);
        var all = Selections.Mixed(0, Events);
        await journal.AppendAsync(all);
        (string Id, long To)[] deleted = [("id-0", 3), ("id-3", 5), (all[^1].PersistenceId, all[^1].SequenceNumber), ("id-5", 1)];
        foreach (var (id, to) in deleted)
            await delete(journal, id, to);
        // A tombstone also removes the tags of the remaining events of its id. Only Akka.NET knows them.
        var left = all.Where(each => !deleted.Any(one => one.Id == each.PersistenceId && each.SequenceNumber <= one.To));
        var there = (await journal.OpenReader().CurrentAllEvents().AllAsync()).ToList();
        Assert.Equal(left.Texts(), there.Texts());

        foreach (var page in (int[])[1, 500])
        {
            var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = page }));
            var expected = selection.Of(there);
            (await reader.AllAsync(selection, live, expected.Count)).AreExactly(expected);
            await meter.UntilFollowingAsync(0);
        }
    }
}
