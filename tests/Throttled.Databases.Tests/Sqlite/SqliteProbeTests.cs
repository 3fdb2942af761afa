using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqliteProbeTests
{
    [Fact]
    public async Task It_returns_the_cores_and_no_warning_for_a_valid_journal()
    {
        await using var file = new JournalFile();
        await file.CreateAsync();

        var result = await file.Database(new() { MaxConcurrentQueries = 1 }).ProbeAsync(CancellationToken.None);

        Assert.Equal(1, result.StatementCeiling);
        Assert.Contains("core", result.CeilingReason, StringComparison.Ordinal);
        Assert.Null(result.Warning);
        Assert.Null(result.TagWarning);
        Assert.Null(result.OrderRefusal);
    }

    [Theory]
    [InlineData("journal RENAME ordering TO other", "'OrderingColumn' is ordering, which is not a column of \"journal\"")]
    [InlineData("tags RENAME tag TO other", "'TagColumn' is tag, which is not a column of \"tags\"")]
    public async Task A_missing_column_is_named_with_its_setting(string change, string start)
    {
        await using var file = new JournalFile();
        await file.CreateAsync();
        file.Execute($"DROP INDEX tags_tag_ordering_idx; ALTER TABLE {change}");

        var error = await Assert.ThrowsAsync<MissingColumnException>(() => ProbeAsync(file));

        Assert.StartsWith(start, error.Message, StringComparison.Ordinal);
        Assert.Equal(FaultKind.Fatal, file.Database().Classify(error));
    }

    [Fact]
    public async Task It_warns_if_one_shard_is_read_as_a_plain_journal()
    {
        await using var file = new JournalFile();
        await file.CreateAsync();
        await file.Appender().MarkAsync(new(ShardMap.Even(2), 1), CancellationToken.None);

        Assert.Contains("is shard 1 of \"0-511,512-1023\", but is read without the events of the other shards", (await ProbeAsync(file)).Warning, StringComparison.Ordinal);
        Assert.Null((await file.Database(new() { Shard = new(ShardMap.Even(2), 1) }).ProbeAsync(CancellationToken.None)).Warning);
    }

    [Fact]
    public async Task It_warns_if_readers_block_the_writer()
    {
        await using var file = new JournalFile();
        await file.CreateAsync();
        file.Execute("PRAGMA journal_mode = DELETE");

        var result = await ProbeAsync(file);

        Assert.Contains("journal mode 'delete'", result.Warning, StringComparison.Ordinal);
        Assert.DoesNotContain("AUTOINCREMENT", result.Warning, StringComparison.Ordinal);
    }

    [Fact]
    public async Task It_warns_if_orderings_are_reused_and_names_the_remedy()
    {
        await using var file = new JournalFile(JournalTables.Sqlite);
        await file.CreateAsync(Make.Events("a", 3));
        var database = file.Database();

        var result = await database.ProbeAsync(CancellationToken.None);

        Assert.True(database.ReusesOrderings);
        Assert.StartsWith("'event_journal' is not a table with AUTOINCREMENT", result.Warning, StringComparison.Ordinal);
        Assert.Contains("whose 'ordering' is INTEGER PRIMARY KEY AUTOINCREMENT", result.Warning, StringComparison.Ordinal);
        Assert.Null(result.OrderRefusal);

        file.Execute(
            $"""
            BEGIN;
            {OlderPluginTests.Journal.Replace("event_journal", "numbered", StringComparison.Ordinal)
                .Replace("PRIMARY KEY NOT NULL", "PRIMARY KEY AUTOINCREMENT NOT NULL", StringComparison.Ordinal)}
            INSERT INTO numbered SELECT ordering, persistence_id, sequence_nr, is_deleted, manifest, timestamp, payload, tags, serializer_id FROM event_journal;
            DROP TABLE event_journal;
            ALTER TABLE numbered RENAME TO event_journal;
            DELETE FROM event_journal WHERE ordering = 3;
            COMMIT
            """);

        Assert.Null((await database.ProbeAsync(CancellationToken.None)).Warning);
        Assert.False(database.ReusesOrderings);
        await file.Appender().AppendAsync([Make.Event("b", 1)]);
        Assert.Equal(new(4, "b", 1), (await database.ReadStartAsync(CancellationToken.None)).Last);
    }

    [Fact]
    public async Task It_reports_all_warnings()
    {
        await using var file = new JournalFile(JournalTables.Sqlite);
        await file.CreateAsync();
        file.Execute("PRAGMA journal_mode = DELETE");

        var warning = (await ProbeAsync(file)).Warning;

        Assert.Contains("journal mode 'delete'", warning, StringComparison.Ordinal);
        Assert.Contains("on it once. 'event_journal' is not a table with AUTOINCREMENT", warning, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("PRIMARY KEY (ordering_id, tag)", "CREATE INDEX i ON tags (tag, ordering_id)")]
    [InlineData("PRIMARY KEY (ordering_id, tag)", "CREATE INDEX i ON tags (TAG, \"Ordering_Id\" DESC, persistence_id)")]
    [InlineData("PRIMARY KEY (tag, ordering_id)", "")]
    [InlineData("UNIQUE (tag, ordering_id, persistence_id)", "")]
    [InlineData("PRIMARY KEY (tag, ordering_id)) WITHOUT ROWID; CREATE TABLE other (x", "")]
    [InlineData("PRIMARY KEY (ordering_id, tag)) WITHOUT ROWID; CREATE TABLE other (x", "CREATE INDEX i ON tags (tag)")]
    public async Task An_index_that_begins_with_tag_and_ordering_is_enough(string key, string index)
    {
        await using var file = await WithTagsAsync(key, index);

        Assert.Null((await ProbeAsync(file)).TagWarning);
    }

    [Theory]
    [InlineData("PRIMARY KEY (ordering_id, tag)", "CREATE INDEX i ON tags (tag)")]
    [InlineData("PRIMARY KEY (ordering_id, tag)", "CREATE INDEX i ON tags (tag, sequence_nr, ordering_id)")]
    [InlineData("PRIMARY KEY (ordering_id, tag)", "CREATE INDEX i ON tags (tag, ordering_id) WHERE sequence_nr > 1")]
    [InlineData("PRIMARY KEY (ordering_id, tag)", "CREATE INDEX i ON tags (lower(tag), ordering_id)")]
    [InlineData("PRIMARY KEY (ordering_id, tag)", "CREATE TABLE other (tag, ordering_id, PRIMARY KEY (tag, ordering_id))")]
    [InlineData("CHECK (ordering_id > 0)", "")]
    public async Task Without_that_index_it_warns_with_the_statement_to_run(string key, string index)
    {
        await using var file = await WithTagsAsync(key, index);

        var warning = (await ProbeAsync(file)).TagWarning!;

        Assert.StartsWith(
            "The tag table \"tags\" has no index on 'tag' and 'ordering_id', so reading by tag goes through the tags of all events. Run once: CREATE ",
            warning, StringComparison.Ordinal);
        file.Execute(warning[warning.IndexOf("CREATE INDEX", StringComparison.Ordinal)..]);
        Assert.Null((await ProbeAsync(file)).TagWarning);
    }

    [Fact]
    public async Task Tags_in_a_column_need_no_index()
    {
        await using var file = new JournalFile(JournalTables.Default with { TagMode = TagMode.Csv });
        await file.CreateAsync();

        Assert.Null((await ProbeAsync(file)).TagWarning);
    }

    private static async Task<JournalFile> WithTagsAsync(string key, string index)
    {
        var file = new JournalFile();
        await file.CreateAsync();
        file.Execute(
            $"""
            DROP TABLE tags;
            CREATE TABLE tags (ordering_id BIGINT NOT NULL, tag NVARCHAR(64) NOT NULL, sequence_nr BIGINT NOT NULL,
                persistence_id NVARCHAR(255) NOT NULL, {key});
            {index}
            """);
        return file;
    }

    private static Task<ProbeResult> ProbeAsync(JournalFile file) => file.Database().ProbeAsync(CancellationToken.None);
}
