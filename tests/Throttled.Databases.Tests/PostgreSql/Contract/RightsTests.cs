using Npgsql;

namespace Throttled.Journal.PostgreSql.Tests.Contract;

/// <summary>
/// A reader without one of its rights. The whole contract shows that it needs no others, because its readers are this user.
/// </summary>
[Collection(ServerCollection.Name)]
public sealed class RightsTests(PostgreSqlHost host)
{
    private const string Remedy = "reader-postgresql.sql";

    [PostgreSqlFact]
    public async Task The_script_grants_these_rights_and_no_others()
    {
        await using var journal = await NewAsync();
        var database = "(SELECT datname FROM pg_database WHERE datname = current_database())";
        Assert.True(await CanAsync(journal, $"has_database_privilege('{PostgreSqlServer.Reader}', {database}, 'CONNECT')"));
        Assert.True(await CanAsync(journal, $"has_schema_privilege('{PostgreSqlServer.Reader}', 'public', 'USAGE')"));
        Assert.False(await CanAsync(journal, $"has_database_privilege('{PostgreSqlServer.Reader}', {database}, 'CREATE, TEMPORARY')"));
        Assert.False(await CanAsync(journal, $"has_schema_privilege('{PostgreSqlServer.Reader}', 'public', 'CREATE')"));
        foreach (var table in (string[])["journal", "tags"])
        {
            Assert.True(await CanAsync(journal, $"has_table_privilege('{PostgreSqlServer.Reader}', '{table}', 'SELECT')"));
            Assert.False(await CanAsync(
                journal, $"has_table_privilege('{PostgreSqlServer.Reader}', '{table}', 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')"));
        }
        Assert.True(await CanAsync(journal, $"has_sequence_privilege('{PostgreSqlServer.Reader}', 'journal_ordering_seq', 'SELECT')"));
        Assert.False(await CanAsync(journal, $"has_sequence_privilege('{PostgreSqlServer.Reader}', 'journal_ordering_seq', 'USAGE, UPDATE')"));
        Assert.False(await CanAsync(journal, $"pg_has_role('{PostgreSqlServer.Reader}', 'pg_read_all_stats', 'MEMBER')"));
    }

    [PostgreSqlTheory]
    [InlineData("REVOKE SELECT ON journal FROM journal_reader", "permission denied for table journal")]
    [InlineData("REVOKE SELECT ON tags FROM journal_reader", "permission denied for table tags")]
    [InlineData("REVOKE USAGE ON SCHEMA public FROM journal_reader", "permission denied for schema public")]
    [InlineData("DO $$ BEGIN EXECUTE format('REVOKE CONNECT ON DATABASE %I FROM journal_reader', current_database()); END $$", "permission denied for database")]
    public async Task A_missing_right_is_named_with_the_remedy_at_once(string revoke, string text)
    {
        await using var journal = await NewAsync(JournalTables.Default with { Schema = "public" });
        await journal.ExecuteAsync(revoke);
        using var log = new DriverLog();
        await using var reader = journal.OpenReader(new() { LoggerFactory = log });

        var error = await Assert.ThrowsAsync<JournalException>(() => reader.AllEvents().FirstAsync(1));

        Assert.Contains(text, error.Message, StringComparison.Ordinal);
        Assert.Contains(Remedy, error.Message, StringComparison.Ordinal);
        Assert.Contains(log.Lines, line => line.Contains(text, StringComparison.Ordinal) && line.Contains(Remedy, StringComparison.Ordinal));
    }

    [PostgreSqlFact]
    public async Task A_missing_right_on_one_column_is_named_too()
    {
        await using var journal = await NewAsync();
        await journal.ExecuteAsync(
            $"REVOKE SELECT ON journal FROM {PostgreSqlServer.Reader}; "
            + $"GRANT SELECT (ordering, deleted, persistence_id, sequence_number, created, identifier, manifest) ON journal TO {PostgreSqlServer.Reader}");
        await Assert.ThrowsAsync<JournalException>(() => journal.OpenReader().AllEvents().FirstAsync(1));
        await journal.ExecuteAsync($"GRANT SELECT (message) ON journal TO {PostgreSqlServer.Reader}");
        Assert.Equal(["a/1"], (await journal.OpenReader().AllEvents().FirstAsync(1)).Texts());
    }

    [PostgreSqlFact]
    public async Task Without_the_right_on_the_sequence_it_reads_and_warns_once()
    {
        await using var journal = await NewAsync();
        await journal.ExecuteAsync($"REVOKE ALL ON SEQUENCE journal_ordering_seq FROM {PostgreSqlServer.Reader}");
        using var log = new DriverLog();
        await using var reader = journal.OpenReader(new() { LoggerFactory = log });

        Assert.Equal(["a/1"], (await reader.CurrentAllEvents().AllAsync()).Texts());

        const string grant = $"Run GRANT SELECT ON SEQUENCE public.journal_ordering_seq TO \"{PostgreSqlServer.Reader}\".";
        Assert.Single(log.Lines, line => line.Contains("may not read the sequence", StringComparison.Ordinal) && line.Contains(grant, StringComparison.Ordinal));
        await journal.ExecuteAsync($"GRANT SELECT ON SEQUENCE public.journal_ordering_seq TO \"{PostgreSqlServer.Reader}\"");
        using var later = new DriverLog();
        await journal.OpenReader(new() { LoggerFactory = later }).CurrentAllEvents().AllAsync();
        Assert.DoesNotContain(later.Lines, line => line.Contains("may not read", StringComparison.Ordinal));
    }

    [PostgreSqlFact]
    public async Task Its_transactions_are_read_only_and_it_cannot_write()
    {
        await using var journal = await NewAsync();
        await using var connection = new NpgsqlConnection($"{journal.ReaderConnectionString};Pooling=False");
        await connection.OpenAsync();
        Assert.Equal("on", await connection.ScalarAsync<string>("SHOW default_transaction_read_only"));
        await connection.RunAsync("SET default_transaction_read_only = off");
        foreach (var sql in (string[])["DELETE FROM journal", "CREATE TABLE mine (i int)", "CREATE TEMP TABLE mine (i int)", "SELECT nextval('journal_ordering_seq')"])
        {
            var error = await Assert.ThrowsAsync<PostgresException>(() => connection.RunAsync(sql));
            Assert.Equal(PostgresErrorCodes.InsufficientPrivilege, error.SqlState);
        }
    }

    [PostgreSqlFact]
    public async Task Its_rights_are_enough_for_notify()
    {
        await using var journal = await NewAsync();
        await journal.ExecuteAsync(await File.ReadAllTextAsync(Path.Combine(AppContext.BaseDirectory, "notify-postgresql.sql")));
        await using var reader = journal.OpenReader(new() { Notify = true, RefreshInterval = TimeSpan.FromHours(1), MinPollInterval = TimeSpan.Zero });
        await using var following = LiveReading.Of(reader.AllEvents());
        await following.UntilAsync(1);
        await Wait.UntilAsync(
            async () =>
            {
                await using var owner = await journal.ConnectAsync();
                return await owner.ScalarAsync<long>("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()") > 0;
            },
            () => "a session that listens");
        await journal.AppendAsync("a", 2, 1);
        await following.UntilAsync(2);
    }

    private async Task<PostgreSqlJournalUnderTest> NewAsync(JournalTables? tables = null)
    {
        var journal = (PostgreSqlJournalUnderTest)await host.NewJournalAsync(tables);
        await journal.AppendAsync("a", 1, 1);
        return journal;
    }

    private static async Task<bool> CanAsync(PostgreSqlJournalUnderTest journal, string question)
    {
        await using var connection = await journal.ConnectAsync();
        return await connection.ScalarAsync<bool>($"SELECT {question}");
    }
}
