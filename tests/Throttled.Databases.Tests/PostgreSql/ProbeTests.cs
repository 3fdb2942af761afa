using Npgsql;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

public class ProbeTests
{
    [PostgreSqlFact]
    public async Task A_probe_reads_the_ceiling_and_has_no_warning_for_a_valid_journal()
    {
        await using var journal = await CreateAsync();
        var result = await journal.Database.ProbeAsync(default);
        Assert.Equal((44, "max_connections is 100"), (result.StatementCeiling, result.CeilingReason));
        Assert.Equal(new ConnectionBudget(Usable: 97, Others: 2), result.Budget);
        Assert.Equal((null, null, null), (result.Warning, result.TagWarning, result.OrderRefusal));
    }

    [PostgreSqlFact]
    public async Task Reading_one_shard_as_a_plain_journal_is_warned_about()
    {
        await using var journal = await CreateAsync();
        await using (var appender = PostgreSqlJournal.OpenAppender(journal.ConnectionString))
            await appender.MarkAsync(new(ShardMap.Even(2), 1), default);
        Assert.Contains(
            "is shard 1 of \"0-511,512-1023\", but is read without the events of the other shards", (await journal.Database.ProbeAsync(default)).Warning, StringComparison.Ordinal);
        await using var shard = journal.Open(new() { Shard = new(ShardMap.Even(2), 1) });
        Assert.Null((await shard.ProbeAsync(default)).Warning);
    }

    [PostgreSqlFact]
    public async Task A_cached_sequence_refuses_ordered_reads_and_its_locks_are_no_evidence()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync("ALTER SEQUENCE journal_ordering_seq CACHE 20");
        var result = await journal.Database.ProbeAsync(default);
        Assert.Equal(
            "'AllowCachedSequence' is false and the sequence public.journal_ordering_seq has CACHE 20; it must be 1, because sessions draw "
            + "numbers in advance, so a stored position may skip events. Run ALTER SEQUENCE public.journal_ordering_seq CACHE 1 "
            + "and reconnect the writers, or set 'AllowCachedSequence' to true and accept skipped events. Then open the reader again.",
            result.OrderRefusal);
        Assert.Contains("CACHE 20", result.Warning, StringComparison.Ordinal);
        Assert.Null((await journal.Database.ReadStartAsync(default)).OpenTransactions);
        Assert.Null((await journal.Database.ReadKeysAsync(new(0, [], 1) { WithOpenTransactions = true }, default)).OpenTransactions);

        await using var allowing = journal.Open(new() { AllowCachedSequence = true });
        result = await allowing.ProbeAsync(default);
        Assert.Null(result.OrderRefusal);
        Assert.Contains("CACHE 20", result.Warning, StringComparison.Ordinal);
        Assert.Null((await allowing.ReadStartAsync(default)).OpenTransactions);

        await journal.ExecuteAsync("ALTER SEQUENCE public.journal_ordering_seq CACHE 1");
        Assert.Null((await journal.Database.ProbeAsync(default)).OrderRefusal);
        Assert.NotNull((await journal.Database.ReadStartAsync(default)).OpenTransactions);
    }

    [PostgreSqlTheory]
    [InlineData("CREATE INDEX ON tags (tag, ordering_id)", false)]
    [InlineData("CREATE INDEX ON tags (tag, ordering_id DESC, sequence_nr)", false)]
    [InlineData("ALTER TABLE tags DROP CONSTRAINT tags_pkey, ADD PRIMARY KEY (tag, ordering_id)", false)]
    [InlineData("CREATE INDEX ON tags (tag)", true)]
    [InlineData("CREATE INDEX ON tags (tag, persistence_id, ordering_id)", true)]
    [InlineData("CREATE INDEX ON tags (tag) INCLUDE (ordering_id)", true)]
    [InlineData("CREATE INDEX ON tags (lower(tag), ordering_id)", true)]
    [InlineData("CREATE INDEX ON tags (tag, ordering_id) WHERE tag = 'x'", true)]
    [InlineData("CREATE INDEX broken ON tags (tag, ordering_id); UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'broken'::regclass", true)]
    public async Task A_tag_table_without_the_index_for_reading_is_warned_about(string sql, bool isWarned)
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync($"DROP INDEX tags_tag_ordering_idx; {sql}");
        var warning = (await journal.Database.ProbeAsync(default)).TagWarning;
        Assert.Equal(isWarned, warning is not null);
        if (warning is null)
            return;
        Assert.StartsWith(
            "The tag table \"tags\" has no index on 'tag' and 'ordering_id', so reading by tag goes through the tags of all events. Run once: CREATE ",
            warning, StringComparison.Ordinal);
        var remedy = warning[warning.IndexOf("CREATE INDEX CONCURRENTLY", StringComparison.Ordinal)..];
        Assert.Equal("CREATE INDEX CONCURRENTLY IF NOT EXISTS \"tags_tag_ordering_idx\" ON \"tags\" (\"tag\", \"ordering_id\")", remedy);
        await journal.ExecuteAsync(remedy);
        Assert.Null((await journal.Database.ProbeAsync(default)).TagWarning);
    }

    [PostgreSqlFact]
    public async Task Tags_in_a_column_need_no_index()
    {
        await using var csv = await CreateAsync(JournalTables.PostgreSql);
        Assert.Null((await csv.Database.ProbeAsync(default)).TagWarning);
    }

    [PostgreSqlFact]
    public async Task A_tag_table_that_is_missing_is_found_by_the_probe_and_fails_all_queries_at_once()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 1);
        await journal.ExecuteAsync("DROP TABLE tags");
        var error = await Assert.ThrowsAsync<MissingTagTableException>(() => journal.Database.ProbeAsync(default));
        Assert.Equal(FaultKind.Fatal, journal.Database.Classify(error));
        await using var reader = PostgreSqlJournal.OpenReader(journal.ConnectionString);
        foreach (var query in (IAsyncEnumerable<JournalEvent>[])[
            reader.EventsByTag("t"), reader.AllEvents(), reader.CurrentAllEvents(), reader.EventsByPersistenceId("a")])
        {
            var failure = await Assert.ThrowsAsync<JournalException>(async () => await query.GetAsyncEnumerator().MoveNextAsync());
            Assert.IsType<MissingTagTableException>(failure.InnerException);
        }
    }

    [PostgreSqlFact]
    public async Task A_tag_table_that_a_writer_creates_while_the_probe_looks_for_it_is_found()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 1);
        // The table is created when a row of the journal is read: after the probe has missed it, before the probe knows that there are events.
        await journal.ExecuteAsync(
            """
            ALTER TABLE tags RENAME TO later;
            ALTER TABLE journal RENAME TO stored;
            CREATE FUNCTION create_tags() RETURNS int VOLATILE LANGUAGE plpgsql AS $$
                BEGIN CREATE TABLE IF NOT EXISTS tags AS TABLE later; RETURN 1; END $$;
            CREATE VIEW journal AS SELECT stored.* FROM stored, create_tags()
            """);
        Assert.True(await journal.ScalarAsync<bool>("SELECT to_regclass('tags') IS NULL"));
        await journal.Database.ProbeAsync(default);
        Assert.False(await journal.ScalarAsync<bool>("SELECT to_regclass('tags') IS NULL"));
    }

    [PostgreSqlTheory]
    [InlineData("journal RENAME ordering TO other", "'OrderingColumn' is ordering, which is not a column of \"journal\"")]
    [InlineData("journal RENAME message TO other", "'PayloadColumn' is message, which is not a column of \"journal\"")]
    [InlineData("tags RENAME tag TO other", "'TagColumn' is tag, which is not a column of \"tags\"")]
    [InlineData("tags RENAME ordering_id TO other", "'TagOrderingColumn' is ordering_id, which is not a column of \"tags\"")]
    public async Task A_missing_column_is_named_with_its_setting(string change, string start)
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync($"ALTER TABLE {change}");
        var error = await Assert.ThrowsAsync<MissingColumnException>(() => journal.Database.ProbeAsync(default));
        Assert.StartsWith(start, error.Message, StringComparison.Ordinal);
        Assert.Equal(FaultKind.Fatal, journal.Database.Classify(error));
    }

    [PostgreSqlFact]
    public async Task The_reason_of_an_error_is_one_line_without_a_position()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync("ALTER TABLE journal RENAME message TO other");
        var error = await Assert.ThrowsAsync<PostgresException>(() => journal.ReadAsync(Ask("a")));
        Assert.Equal("42703: column \"message\" does not exist", journal.Database.ReasonOf(error));
    }
}
