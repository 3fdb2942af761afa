using static Throttled.Journal.PostgreSql.PostgreSqlParameters;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>The cost of a page in journal order depends on its rows alone, wherever it begins and whatever the statistics are.</summary>
public class OrderedPlanTests
{
    private const string Fill =
        "ALTER TABLE journal SET (autovacuum_enabled = off); ALTER TABLE tags SET (autovacuum_enabled = off); "
        // The indexes that Akka's plugins create, which a planner may prefer.
        + "CREATE INDEX hazard ON tags (tag); "
        + "INSERT INTO journal(deleted, persistence_id, sequence_number, created, message) SELECT false, 'a' || n % 100, n, 0, '' FROM generate_series(1, 50000) n; "
        + "INSERT INTO tags SELECT ordering, CASE WHEN ordering % 2 = 0 THEN 'even' ELSE 't' || ordering % 100 END, 1, '' FROM journal; ";

    // The statistics, and the indexes that the planner may use. The primary key has the same order, and is walked at most once.
    [PostgreSqlTheory]
    [InlineData("ANALYZE", "tags_tag_ordering_idx|tags_pkey")]
    public Task With_the_index_on_tag_and_ordering_nothing_is_sorted(string statistics, string index) => PlanAsync(statistics, index);

    [PostgreSqlTheory]
    [InlineData("", "tags_tag_ordering_idx")]
    [InlineData(
        "DELETE FROM tags WHERE tag = 'even'; ANALYZE; INSERT INTO tags SELECT ordering, 'even', 1, '' FROM journal WHERE ordering % 2 = 0",
        "tags_tag_ordering_idx|tags_pkey")]
    [Trait("Category", "Long")]
    public Task With_missing_or_other_statistics_nothing_is_sorted_either(string statistics, string index) => PlanAsync(statistics, index);

    private static async Task PlanAsync(string statistics, string index)
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync(Fill + statistics);
        foreach (var (after, limit) in ((long, long)[])[(0, 500), (0, 10_000), (40_000, 500)])
        {
            foreach (var tag in (string[])["even", "t7", "none"])
                await AssertAsync(journal, after, limit, tag, index);
            var all = await journal.PlanAsync(new PostgreSqlJournalSql(journal.Tables).Ordered, Of(after), Of(long.MaxValue), Of(limit), Of(0), Of(""));
            Assert.Contains("Index Scan using journal_pkey", all, StringComparison.Ordinal);
            Assert.DoesNotContain("Sort", all, StringComparison.Ordinal);
        }
    }

    [PostgreSqlFact]
    public async Task Without_that_index_a_rare_tag_is_found_by_the_tag_alone()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync(Fill + "DROP INDEX tags_tag_ordering_idx; ANALYZE");
        await AssertAsync(journal, 0, 500, "none", "hazard", isSorted: true);
    }

    [PostgreSqlFact]
    public async Task Gaps_are_searched_by_the_ordering()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync(Fill);
        var sql = new PostgreSqlJournalSql(journal.Tables);
        foreach (var statement in (string[])[sql.Keys.InGaps, sql.RowsInGaps])
        {
            var plan = await journal.PlanAsync(statement, Of([7L, 40_000L]), Of([9L, 40_000L]), Of(10_000L));
            Assert.Contains("Index Scan using journal_pkey", plan, StringComparison.Ordinal);
            Assert.DoesNotContain("Seq Scan", plan, StringComparison.Ordinal);
        }
    }

    [PostgreSqlFact]
    public async Task A_window_is_searched_by_the_ordering()
    {
        await using var journal = await CreateAsync(JournalTables.PostgreSql);
        await journal.ExecuteAsync(
            "ALTER TABLE event_journal SET (autovacuum_enabled = off); INSERT INTO event_journal(is_deleted, persistence_id, sequence_nr, created_at, payload, tags) "
            + "SELECT false, 'a' || n % 100, n, 0, '', ';t;' FROM generate_series(1, 50000) n");
        var plan = await journal.PlanAsync(
            new PostgreSqlJournalSql(journal.Tables).OrderedByColumn, Of(10_000L), Of(40_000L), Of(["%;t;%"]), Of(500L), Of(0), Of(""));
        Assert.Contains("Index Scan using event_journal_pkey", plan, StringComparison.Ordinal);
        Assert.DoesNotContain("Sort", plan, StringComparison.Ordinal);
    }

    private static async Task AssertAsync(TestJournal journal, long after, long limit, string tag, string index, bool isSorted = false)
    {
        var text = new PostgreSqlJournalSql(journal.Tables).OrderedByTable;
        var plan = await journal.PlanAsync(text, Of(after), Of(long.MaxValue), Of(tag), Of(limit));
        Assert.Matches(index, plan);
        Assert.Contains("Index Scan using journal_pkey", plan, StringComparison.Ordinal);
        Assert.Equal(isSorted, plan.Contains("Sort", StringComparison.Ordinal));
        // The limit is below the join.
        Assert.True(plan.IndexOf("Limit", StringComparison.Ordinal) > plan.IndexOf("Nested Loop Left Join", StringComparison.Ordinal));
    }
}
