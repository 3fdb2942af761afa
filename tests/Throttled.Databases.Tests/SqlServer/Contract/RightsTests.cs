using Microsoft.Data.SqlClient;

namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>
/// A reader without one of its rights. The whole contract shows that it needs no others, because its readers are this user.
/// </summary>
[Collection(ServerCollection.Name)]
public sealed class RightsTests(SqlServerHost host)
{
    private const string NoPermissionsListed = "it lists no permissions (sys.database_permissions is empty).";

    [SqlServerTheory]
    [InlineData("journal")]
    [InlineData("tags")]
    public async Task A_missing_right_is_named_with_the_remedy_at_once(string table)
    {
        await using var journal = await NewAsync();
        await journal.ExecuteAsync($"REVOKE SELECT ON {table} FROM [{journal.Reader}]");

        var error = await Assert.ThrowsAsync<JournalException>(() => journal.OpenReader().AllEvents().FirstAsync(1));

        Assert.Contains(table, error.Message, StringComparison.Ordinal);
        Assert.Contains("reader-sqlserver.sql", error.Message, StringComparison.Ordinal);
    }

    [SqlServerFact]
    public async Task The_error_of_a_missing_journal_names_the_database()
    {
        await using var journal = await NewAsync();
        await journal.ExecuteAsync(journal.Rename("journal", "elsewhere"));

        var error = await Assert.ThrowsAsync<JournalException>(() => journal.OpenReader(new() { RequireTable = true }).AllEvents().FirstAsync(1));

        var database = new SqlConnectionStringBuilder(journal.ReaderConnectionString).InitialCatalog;
        Assert.Contains($", in the database '{database}', to which the connection string leads)", error.Message, StringComparison.Ordinal);
    }

    [RealServerFact("it has no number for the error by which a database cannot be opened.")]
    public async Task Queries_wait_for_a_login_without_a_user_and_the_log_has_the_remedy()
    {
        await using var journal = (SqlServerJournalUnderTest)await host.NewJournalAsync();
        await journal.ExecuteAsync($"REVOKE SELECT ON journal FROM [{journal.Reader}]; REVOKE SELECT ON tags FROM [{journal.Reader}]; DROP USER [{journal.Reader}]");
        var reader = journal.OpenReader(new() { CurrentQueryTimeout = TimeSpan.FromSeconds(1) });

        var error = await Assert.ThrowsAsync<JournalException>(() => reader.CurrentAllEvents().AllAsync());

        Assert.True(error.Message.Contains("reader-sqlserver.sql", StringComparison.Ordinal), error.Message);
    }

    [SqlServerTheory]
    [InlineData("DELETE FROM journal")]
    [InlineData("UPDATE journal SET deleted = 1")]
    [InlineData("TRUNCATE TABLE journal")]
    [InlineData("INSERT INTO tags VALUES (1, N'x', 1, N'a')")]
    [InlineData("CREATE TABLE mine (i INT)")]
    [InlineData("DROP TABLE journal")]
    public async Task It_can_write_nothing(string sql)
    {
        await using var journal = await NewAsync();
        await using var connection = new SqlConnection(journal.ReaderConnectionString);
        await connection.OpenAsync();

        await Assert.ThrowsAsync<SqlException>(() => connection.RunAsync(sql));

        Assert.Equal(["a/1"], (await journal.OpenReader().CurrentAllEvents().AllAsync()).Texts());
    }

    [RealServerFact(NoPermissionsListed)]
    public async Task The_script_grants_these_rights_and_no_others()
    {
        await using var journal = await NewAsync();
        await using var connection = await journal.ConnectAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT p.permission_name + N' ' + ISNULL(OBJECT_NAME(NULLIF(p.major_id, 0)), N'') FROM sys.database_permissions AS p "
            + $"WHERE p.grantee_principal_id = DATABASE_PRINCIPAL_ID(N'{journal.Reader}') ORDER BY 1";
        await using var rows = await command.ExecuteReaderAsync();
        List<string> rights = [];
        while (await rows.ReadAsync())
            rights.Add(rows.GetString(0));

        Assert.Equal(["CONNECT ", "SELECT journal", "SELECT tags"], rights);
    }

    private async Task<SqlServerJournalUnderTest> NewAsync()
    {
        var journal = (SqlServerJournalUnderTest)await host.NewJournalAsync();
        await journal.AppendAsync("a", 1, 1);
        return journal;
    }
}
