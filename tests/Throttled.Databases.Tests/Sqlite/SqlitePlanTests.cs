namespace Throttled.Journal.Sqlite.Tests;

/// <summary>The plans of SQLite's statements, with statistics and without.</summary>
public sealed class SqlitePlanTests
{
    // As Akka.Persistence.Sql creates it.
    private const string TheirTags =
        """
        CREATE TABLE tags (ordering_id BIGINT NOT NULL, tag NVARCHAR(64) NOT NULL, sequence_nr BIGINT NOT NULL,
            persistence_id NVARCHAR(255) NOT NULL, PRIMARY KEY (ordering_id, tag));
        CREATE INDEX tags_persistence_id_sequence_nr_idx ON tags (persistence_id, sequence_nr);
        CREATE INDEX tags_tag_idx ON tags (tag);
        """;

    /// <summary>The data that ANALYZE has seen, if it was run.</summary>
    public enum Statistics
    {
        None,
        OfOneTagThatAllHave,
        OfManyTags,
    }

    public static TheoryData<Statistics> Each => [.. Enum.GetValues<Statistics>()];

    public static TheoryData<bool, Statistics> EachTwice
    {
        get
        {
            var data = new TheoryData<bool, Statistics>();
            foreach (var statistics in Enum.GetValues<Statistics>())
            {
                data.Add(true, statistics);
                data.Add(false, statistics);
            }
            return data;
        }
    }

    [Theory]
    [MemberData(nameof(EachTwice))]
    public async Task A_page_of_a_tag_uses_the_index_on_tag_and_ordering(bool isTheirTable, Statistics statistics)
    {
        await using var file = new JournalFile();
        if (isTheirTable)
            file.Execute(TheirTags);
        await FillAsync(file, statistics);

        Assert.Equal(
            "SEARCH tag_row USING COVERING INDEX tags_tag_ordering_idx (tag=? AND ordering_id>? AND ordering_id<?)",
            Plan(file, sql => sql.TaggedOrderings));
    }

    [Theory]
    [MemberData(nameof(Each))]
    public async Task Without_that_index_a_page_of_a_tag_uses_the_ordering_and_sorts_nothing(Statistics statistics)
    {
        await using var file = new JournalFile();
        file.Execute(TheirTags);
        await FillAsync(file, statistics);
        file.Execute("DROP INDEX tags_tag_ordering_idx");

        Assert.Equal(
            "SEARCH tag_row USING COVERING INDEX sqlite_autoindex_tags_1 (ordering_id>? AND ordering_id<?)",
            Plan(file, sql => sql.TaggedOrderings));
    }

    [Theory]
    [MemberData(nameof(Each))]
    public async Task Every_other_statement_uses_a_key_too(Statistics statistics)
    {
        await using var file = new JournalFile();
        await FillAsync(file, statistics);
        const string byOrdering = "SEARCH journal_row USING INTEGER PRIMARY KEY";

        Assert.Equal($"{byOrdering} (rowid>? AND rowid<?)", Plan(file, sql => sql.Ordered));
        Assert.Equal($"{byOrdering} (rowid=?)", Plan(file, sql => sql.Row));
        Assert.Equal($"{byOrdering} (rowid>?)", Plan(file, sql => sql.KeysFrom));
        Assert.Equal($"{byOrdering} (rowid>?)", Plan(file, sql => sql.RowsFrom));
        Assert.Equal(
            "SEARCH tag_row USING PRIMARY KEY (ordering_id>? AND ordering_id<?)", Plan(file, sql => sql.TagsBetween));
    }

    [Theory]
    [MemberData(nameof(Each))]
    public async Task Tags_in_a_column_are_searched_by_ordering(Statistics statistics)
    {
        await using var file = new JournalFile(JournalTables.Sqlite);
        await FillAsync(file, statistics);

        Assert.Equal(
            "SEARCH journal_row USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", Plan(file, sql => sql.OrderedWithTag));
        Assert.Equal("SEARCH journal_row USING INTEGER PRIMARY KEY (rowid>?)", Plan(file, sql => sql.KeysFromWithTags));
    }

    [Theory]
    [MemberData(nameof(EachTwice))]
    public async Task Each_id_costs_one_index_lookup(bool isFirst, Statistics statistics)
    {
        await using var file = new JournalFile();
        await FillAsync(file, statistics);

        var plan = Plan(file, sql => isFirst ? sql.FirstIds : sql.IdsAfter);

        Assert.Equal(2, plan.Split("SEARCH journal_row USING COVERING INDEX sqlite_autoindex_journal_1 (persistence_id>? AND persistence_id<?)").Length - 1);
        Assert.Contains("SEARCH journal_row USING INDEX sqlite_autoindex_journal_1 (persistence_id=?)", plan, StringComparison.Ordinal);
        Assert.DoesNotContain("SCAN journal_row", plan, StringComparison.Ordinal);
    }

    private static async Task FillAsync(JournalFile file, Statistics statistics)
    {
        await file.CreateAsync(
            [.. Enumerable.Range(1, 2000).Select(number => Make.Event($"id-{number % 20}", number, statistics == Statistics.OfManyTags ? $"t{number}" : "all"))]);
        if (statistics != Statistics.None)
            file.Execute("ANALYZE");
    }

    private static string Plan(JournalFile file, Func<SqliteJournalSql, string> statement)
    {
        using var session = SqliteSession.Open(SqliteSource.Parse(file.ConnectionString));
        var plan = session.Statement($"EXPLAIN QUERY PLAN {statement(new(file.Tables))}");
        List<string> lines = [];
        while (plan.Step())
            lines.Add(plan.Text(3));
        plan.Reset();
        return string.Join('\n', lines);
    }
}
