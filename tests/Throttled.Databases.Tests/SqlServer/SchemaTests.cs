using static Throttled.Journal.SqlServer.Tests.WrittenJournal;

namespace Throttled.Journal.SqlServer.Tests;

public class SchemaTests(WriteServer shared) : IClassFixture<WriteServer>
{
    [SqlServerFact]
    public async Task Existing_tables_are_not_changed()
    {
        await using var journal = await CreateAsync(shared.Server);
        await journal.AppendAsync(Event("a", 1, "t"));
        await journal.Appender.CreateAsync();
        Assert.Equal(["a t"], await journal.RowsAsync("SELECT j.persistence_id, t.tag FROM journal AS j JOIN tags AS t ON t.ordering_id = j.ordering"));
    }

    [SqlServerFact]
    public async Task Concurrent_creations_take_turns()
    {
        await using var journal = new WrittenJournal(shared.Server, JournalTables.Default with { Schema = "apart" });
        await Task.WhenAll(Enumerable.Range(1, 6).Select(async writer =>
        {
            await using var appender = journal.OpenAppender();
            await appender.CreateAsync();
            await appender.AppendAsync([Event("a", writer, "t")]);
        }));
        Assert.Equal(6, await journal.ScalarAsync<int>("SELECT COUNT(*) FROM apart.journal AS j JOIN apart.tags AS t ON t.ordering_id = j.ordering"));
    }

    [SqlServerFact]
    public async Task The_tag_table_has_the_index_that_reading_by_tag_needs()
    {
        await using var journal = await CreateAsync(shared.Server, JournalTables.SqlServer with { TagMode = TagMode.TagTable });
        Assert.Equal(
            ["1 tag", "2 ordering_id"],
            await journal.RowsAsync(
                """
                SELECT k.key_ordinal, c.name FROM sys.indexes AS i
                JOIN sys.index_columns AS k ON k.object_id = i.object_id AND k.index_id = i.index_id
                JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
                WHERE i.object_id = OBJECT_ID(N'dbo.tags') AND i.is_primary_key = 0 AND k.key_ordinal > 0 ORDER BY 1
                """));
    }

    [SqlServerFact]
    public async Task An_index_of_another_name_is_not_made_twice()
    {
        await using var journal = await CreateAsync(shared.Server, JournalTables.Default with { TagMode = TagMode.Csv });
        await journal.ExecuteAsync("CREATE TABLE tags (ordering_id BIGINT NOT NULL, tag NVARCHAR(64) NOT NULL, sequence_nr BIGINT, persistence_id NVARCHAR(255))");
        await journal.ExecuteAsync("CREATE INDEX own ON tags (tag, ordering_id)");
        await using var appender = SqlServerJournal.OpenAppender(journal.ConnectionString);
        await appender.CreateAsync();
        Assert.Equal(1, await journal.ScalarAsync<int>("SELECT COUNT(*) FROM sys.indexes WHERE object_id = OBJECT_ID(N'tags') AND index_id > 0"));
    }

    [RealServerFact("it has no bounds of its own for keys.")]
    public async Task Keys_are_within_the_limits_of_the_server()
    {
        await using var journal = await CreateAsync(shared.Server);
        var keys = await journal.RowsAsync(
            """
            SELECT SUM(c.max_length) FROM sys.indexes AS i
            JOIN sys.index_columns AS k ON k.object_id = i.object_id AND k.index_id = i.index_id
            JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
            WHERE i.object_id IN (OBJECT_ID(N'journal'), OBJECT_ID(N'tags')) AND k.key_ordinal > 0
            GROUP BY i.object_id, i.index_id ORDER BY 1
            """);
        Assert.Equal(["8", "136", "136", "518"], keys);
    }

    [Theory]
    [InlineData(TagMode.Csv)]
    [InlineData(TagMode.TagTable)]
    public void A_name_cannot_leave_its_quotes(TagMode mode)
    {
        var tables = JournalTables.Default with { Schema = "s']", JournalTable = "j']", TagTable = "t']", OrderingColumn = "o]", TagMode = mode };
        var all = string.Join('\n', new SqlServerSchema(tables).Create());
        Assert.Contains("IF SCHEMA_ID(N's'']') IS NULL EXEC(N'CREATE SCHEMA [s'']]]')", all, StringComparison.Ordinal);
        Assert.Contains("IF OBJECT_ID(N'[s'']]].[j'']]]', N'U') IS NULL CREATE TABLE [s']]].[j']]] (", all, StringComparison.Ordinal);
        Assert.Contains("[o]]] BIGINT IDENTITY(1,1) NOT NULL PRIMARY KEY CLUSTERED", all, StringComparison.Ordinal);
        Assert.Equal(mode == TagMode.TagTable, all.Contains("OBJECT_ID(N'[s'']]].[t'']]]')", StringComparison.Ordinal));
        Assert.Equal(mode == TagMode.TagTable, all.Contains("CREATE INDEX [t']]_tag_ordering_idx] ON [s']]].[t']]] (", StringComparison.Ordinal));
    }
}
