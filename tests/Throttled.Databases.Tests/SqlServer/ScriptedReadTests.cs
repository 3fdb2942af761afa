using Throttled.Journal.Relational;
using Throttled.Journal.Rows;

namespace Throttled.Journal.SqlServer.Tests;

/// <summary>Reads of this package without a server.</summary>
public class ScriptedReadTests
{
    private static readonly SqlServerJournalSql Sql = new(JournalTables.Default);
    private static readonly AdoContext Context = ContextOf(Sql, JournalTables.Default);
    private static readonly SqlServerScans Scans = new(Context, Sql);

    [Fact]
    public async Task Members_that_share_an_event_each_get_its_tags_and_it_is_asked_for_once()
    {
        var session = new ScriptedSession()
            .Answer(Sql.Pages, [0, 1L, .. Row(70, "a", 1)], [0, 2L, .. Row(20, "a", 2)], [1, 2L, .. Row(20, "a", 2)], [1, 3L, .. Row(90, "a", 3)])
            .Answer(Sql.Tags, [20L, "x"], [20L, "y"], [70L, "x"]);
        var pages = await PagesAsync(session, "a", "a");
        Assert.Equal(["a 1 x", "a 2 x y", "a 2 x y", "a 3"], pages);
        Assert.Equal((Sql.Tags, "[20,70,90]"), (session.Ran[^1].Text, session.Ran[^1].Values.Single()));
    }

    [Fact]
    public async Task Orderings_that_lie_close_are_asked_for_as_a_range_whose_other_tags_are_ignored()
    {
        var session = new ScriptedSession()
            .Answer(Sql.Page, Row(20, "a", 1), Row(22, "a", 2))
            .Answer(Sql.TagsBetween, [20L, "x"], [21L, "other"], [22L, "y"]);
        Assert.Equal(["a 1 x", "a 2 y"], await PagesAsync(session, "a"));
        Assert.Equal([20L, 22L], session.Ran[^1].Values);
    }

    [Fact]
    public async Task A_row_whose_id_only_the_collation_takes_for_equal_is_no_event()
    {
        var session = new ScriptedSession().Answer(Sql.Page, Row(1, "A", 1), Row(2, "a", 2), Row(3, "a ", 3));
        Assert.Equal(["a 2"], await PagesAsync(session, "a"));
    }

    [Fact]
    public async Task Ids_that_the_collation_takes_for_equal_are_both_there()
    {
        var session = new ScriptedSession().Answer(Sql.FirstIds, ["A", "a", 1], ["b", "b", 0], ["c", "c", 1]);
        var rows = new IdsRows(after: null, limit: 3, new(long.MaxValue));
        await Scans.ReadIdsAsync(session, rows, default);
        rows.Complete();
        Assert.Equal(["A", "a", "c"], Enumerable.Range(0, rows.Result.Page!.Count).Select(i => rows.Result.Page[i]!));
    }

    [Fact]
    public async Task A_poll_reads_keys_gaps_tags_then_open_transactions_and_last_the_last_issued_ordering()
    {
        var openTransactions = new SqlServerOpenTransactions(Sql);
        var session = new ScriptedSession()
            .Answer(Sql.Keys.From, [11L, "a", 1L])
            .Answer(Sql.Keys.InGaps, [7L, "b", 1L])
            .Answer(Sql.Tags, [7L, "x"])
            .Answer(SqlServerCatalogSql.OpenTransactions, [5L])
            .Answer(SqlServerCatalogSql.LastIssued, [11L]);
        Assert.Null(await openTransactions.LearnAsync(session, lockTable: true, default));
        session.Ran.Clear();
        var request = new KeysRequest(10, [new(6, 7), new(9, 9)], 100) { WithTags = true, WithOpenTransactions = true };
        var result = await new SqlServerPoll(Context, openTransactions).ReadKeysAsync(session, request, default);
        Assert.Equal([Sql.Keys.From, Sql.Keys.InGaps, Sql.Tags, SqlServerCatalogSql.OpenTransactions, SqlServerCatalogSql.LastIssued], session.Ran.Select(each => each.Text));
        Assert.Equal(["[[6,7],[9,9]]", 100], session.Ran[1].Values);
        Assert.Equal([7L, 11L], result.Late.Concat(result.Above).Select(key => key.Ordering));
        Assert.Equal(["x"], result.Tags[7]);
        Assert.Equal((11L, "server/start", "server/start/5"), (result.LastIssued, result.Server, result.OpenTransactions!.Single()));
    }

    [Fact]
    public async Task A_key_without_id_or_sequence_number_does_not_fail_the_poll()
    {
        var session = new ScriptedSession().Answer(Sql.Keys.From, [11L, null, 1L], [12L, "a", null]);
        var result = await new SqlServerPoll(Context, new(Sql)).ReadKeysAsync(session, new(10, [], 100), default);
        Assert.Equal([new(11, "", 1), new(12, "a", 0)], result.Above);
    }

    [Fact]
    public async Task Tags_in_a_column_come_with_the_rows_and_are_looked_for_between_separators()
    {
        var sql = new SqlServerJournalSql(JournalTables.SqlServer);
        var session = new ScriptedSession().Answer(sql.OrderedByColumn, [.. Row(3, "a", 1), ";x;y;"]);
        var rows = new OrderedRows([new(new() { Tag = "x" }, 0, 10, 5)], new(100, long.MaxValue, TagsComeLater: false), new(long.MaxValue));
        await new SqlServerScans(ContextOf(sql, JournalTables.SqlServer), sql).ReadOrderedAsync(session, rows, default);
        rows.Complete();
        Assert.Equal([0L, 10L, "[\";x;\"]", 100], session.Ran.Single().Values);
        Assert.Equal(["x", "y"], rows.Results[0].Page![0]!.Tags);
    }

    private static AdoContext ContextOf(SqlServerJournalSql sql, JournalTables tables) =>
        new(new() { Tables = tables, MaxPayloadBytes = null }, new SqlServerDialect(), sql);

    private static object?[] Row(long ordering, string id, long number) =>
        [ordering, false, id, number, 9L, new byte[] { 1 }, 7, "manifest"];

    private static async Task<string[]> PagesAsync(ScriptedSession session, params string[] ids)
    {
        var rows = new ByIdRows([.. ids.Select(id => new ByIdRequest(id, new(1, long.MaxValue), 10))], 100, new(long.MaxValue));
        await Scans.ReadPagesAsync(session, rows, default);
        rows.Complete();
        return [.. rows.Pages.SelectMany(member => Enumerable.Range(0, member!.Value.Page?.Count ?? 0).Select(i => Text(member.Value.Page![i]!)))];
    }

    private static string Text(JournalEvent one) =>
        string.Join(' ', one.Tags.Prepend(FormattableString.Invariant($"{one.PersistenceId} {one.SequenceNumber}")));
}
