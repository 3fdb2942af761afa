using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

public class IdsTests
{
    [PostgreSqlFact]
    public async Task An_empty_journal_has_no_ids()
    {
        await using var journal = await CreateAsync();
        var result = await ReadAsync(journal);
        Assert.Equal((null, null, false), (result.Page, result.Last, result.MayHaveMore));
    }

    [PostgreSqlFact]
    public async Task Each_id_with_an_event_left_comes_once()
    {
        await using var journal = await CreateAsync();
        foreach (var id in (string[])["d", "b", "a", "c"])
            await journal.AppendAsync(id, 3);
        // Our appender writes no such id.
        await journal.ExecuteAsync(
            "INSERT INTO journal(deleted, persistence_id, sequence_number, created, message) VALUES (false, '', 1, 0, '')");
        await journal.ExecuteAsync(
            "UPDATE journal SET deleted = true WHERE persistence_id = 'b' OR (persistence_id = 'c' AND sequence_number < 3)");
        Assert.Equal(["", "a", "c", "d"], Ids(await ReadAsync(journal)));
        Assert.Equal(["a", "c", "d"], Ids(await ReadAsync(journal, after: "")));
        Assert.Equal(["c", "d"], Ids(await ReadAsync(journal, after: "a")));
        Assert.Equal(["d"], Ids(await ReadAsync(journal, after: "cc")));
    }

    [PostgreSqlFact]
    public async Task Reading_of_ids_resumes_after_the_last_one_read()
    {
        await using var journal = await CreateAsync();
        foreach (var id in (string[])["a", "b", "c"])
            await journal.AppendAsync(id, 2);
        await journal.ExecuteAsync("UPDATE journal SET deleted = true WHERE persistence_id = 'b'");
        var result = await ReadAsync(journal, limit: 2);
        Assert.Equal(["a"], Ids(result));
        Assert.Equal(("b", true), (result.Last, result.MayHaveMore));
        result = await ReadAsync(journal, result.Last, limit: 2);
        Assert.Equal(["c"], Ids(result));
        Assert.Equal(("c", false), (result.Last, result.MayHaveMore));
    }

    [PostgreSqlFact]
    public async Task A_statement_that_reaches_the_byte_limit_ends_on_the_server()
    {
        await using var journal = await CreateAsync();
        await InsertAsync(journal, ids: 20_000);
        var rows = new IdsRows(after: null, 100_000, new ByteBudget(1000));
        await journal.Database.ReadIdsAsync(rows, default);
        rows.Complete();
        Assert.Equal(0, await journal.RunningAsync());
        Assert.True(rows.Result.MayHaveMore);
        Assert.InRange(rows.Result.Page!.Count, 1, 1000);
    }

    // The order is that of the column's collation. A keyset in another collation would skip ids.
    [PostgreSqlTheory]
    [InlineData("\"C\"")]
    [InlineData("\"und-x-icu\"")]
    public async Task Ids_are_complete_in_any_collation_and_come_by_the_index(string collation)
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync($"ALTER TABLE journal ALTER persistence_id TYPE varchar(255) COLLATE {collation}");
        string[] ids = ["Z", "a", "B", "b", "-a", "a-b", "ab", "ä", "z", "😀", "_"];
        foreach (var id in ids)
            await journal.AppendAsync(id, 1);
        List<string> read = [];
        for (string? after = null; read.Count <= ids.Length;)
        {
            var one = await ReadAsync(journal, after, limit: 2);
            read.AddRange(Ids(one));
            if (!one.MayHaveMore)
                break;
            after = one.Last;
        }

        Assert.Equal(ids.Order(StringComparer.Ordinal), read.Order(StringComparer.Ordinal));
        await InsertAsync(journal, ids: 5_000);
        await IndexOnlyAsync(journal);
    }

    [PostgreSqlTheory]
    [InlineData(3)]
    [InlineData(10_000)]
    public async Task Each_id_costs_one_index_lookup_with_few_ids_and_with_many(int ids)
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync("CREATE INDEX hazard ON journal (sequence_number); ALTER TABLE journal SET (autovacuum_enabled = off)");
        await InsertAsync(journal, ids);
        await IndexOnlyAsync(journal);
        await journal.ExecuteAsync("ANALYZE");
        await IndexOnlyAsync(journal);
    }

    private static async Task IndexOnlyAsync(TestJournal journal)
    {
        var plan = await journal.PlanAsync(new PostgreSqlJournalSql(journal.Tables).Ids, Of("a"), Of(1000));
        Assert.Equal(3, plan.Split("using journal_persistence_id_sequence_number_key").Length - 1);
        Assert.DoesNotContain("Sort", plan, StringComparison.Ordinal);
        Assert.DoesNotContain("Seq Scan", plan, StringComparison.Ordinal);
    }

    private static Task InsertAsync(TestJournal journal, int ids) => journal.ExecuteAsync(
        "INSERT INTO journal(deleted, persistence_id, sequence_number, created, message) "
        + $"SELECT n % 7 = 0, 'id-' || n % {ids}, n, 0, '' FROM generate_series(1, 50000) n");

    private static async Task<IdsResult> ReadAsync(TestJournal journal, string? after = null, int limit = 100)
    {
        var rows = new IdsRows(after, limit, new ByteBudget(long.MaxValue));
        await journal.Database.ReadIdsAsync(rows, default);
        rows.Complete();
        return rows.Result;
    }

    private static IEnumerable<string> Ids(IdsResult result) =>
        Enumerable.Range(0, result.Page?.Count ?? 0).Select(i => result.Page![i]!);
}
