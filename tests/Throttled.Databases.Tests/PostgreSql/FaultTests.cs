using System.Net.Sockets;
using Npgsql;
using Throttled.Journal.Database;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

public class FaultTests
{
    [PostgreSqlFact]
    public async Task A_cancelled_statement_has_ended_on_the_server_when_its_call_ends()
    {
        await using var journal = await CreateAsync();
        await journal.ReadAsync(Ask("a"));
        await using var holder = await journal.LockAsync();
        using var stop = new CancellationTokenSource();
        var reading = journal.Database.ReadPagesAsync(Statement(Ask("a")), stop.Token);
        await journal.UntilRunningAsync(1);
        await stop.CancelAsync();
        var error = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading);
        Assert.Equal(0, await journal.RunningAsync());
        Assert.Equal(stop.Token, error.CancellationToken);
        await holder.DisposeAsync();
        await journal.ReadAsync(Ask("a"));
        Assert.Equal(1, await journal.ScalarAsync<long>(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'throttled' AND query ~ 'LATERAL|tags'"));
    }

    [PostgreSqlFact]
    public async Task A_call_cancelled_before_it_starts_runs_nothing()
    {
        await using var journal = await CreateAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => journal.Database.ReadPagesAsync(Statement(Ask("a")), new CancellationToken(canceled: true)));
    }

    [PostgreSqlFact]
    public async Task A_statement_that_runs_too_long_is_ended_by_the_server()
    {
        await using var journal = await CreateAsync();
        await using var holder = await journal.LockAsync();
        await using var database = journal.Open(new() { StatementTimeout = TimeSpan.FromSeconds(1) });
        var error = await Assert.ThrowsAsync<PostgresException>(() => database.ReadPagesAsync(Statement(Ask("a")), default));
        Assert.Equal(FaultKind.TimedOut, database.Classify(error));
        Assert.Equal(0, await journal.RunningAsync());
    }

    [PostgreSqlFact]
    public async Task Behind_a_pooler_the_server_ends_it_too_and_no_setting_stays()
    {
        await using var journal = await CreateAsync();
        await using var given = NpgsqlDataSource.Create($"{journal.ConnectionString};Maximum Pool Size=1;No Reset On Close=true");
        await using var holder = await journal.LockAsync();
        await using (var database = new PostgreSqlDatabase(
            PostgreSqlSource.Of(given), new() { PrepareStatements = false, StatementTimeout = TimeSpan.FromSeconds(1) }))
        {
            var error = await Assert.ThrowsAsync<PostgresException>(() => database.ReadPagesAsync(Statement(Ask("a")), default));
            Assert.Equal(FaultKind.TimedOut, database.Classify(error));
            await holder.DisposeAsync();
        }
        await using (var database = new PostgreSqlDatabase(PostgreSqlSource.Of(given), new() { PrepareStatements = false }))
            Assert.Empty((await database.ReadStartAsync(default)).OpenTransactions!);

        await using var command = given.CreateCommand("SHOW statement_timeout");
        Assert.Equal("0", await command.ExecuteScalarAsync());
    }

    [PostgreSqlTheory]
    [InlineData("DROP TABLE journal", nameof(FaultKind.MissingTable))]
    [InlineData("ALTER TABLE journal RENAME message TO other", nameof(FaultKind.Fatal))]
    [InlineData("ALTER TABLE journal ALTER created TYPE text", nameof(FaultKind.Unreadable))]
    public async Task Changes_of_the_table_by_its_owner_are_classified(string sql, string kind)
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 1);
        await journal.ExecuteAsync(sql);
        var fault = await FaultAsync(journal.Database, database => database.ReadPagesAsync(Statement(Ask("a")), default));
        Assert.Equal(kind, fault.ToString());
    }

    [PostgreSqlFact]
    public async Task A_probe_finds_a_missing_table_and_a_missing_schema()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync("DROP TABLE journal");
        Assert.Equal(FaultKind.MissingTable, await ProbeAsync(journal.Database));
        var source = PostgreSqlSource.Parse(journal.ConnectionString);
        await using var database = new PostgreSqlDatabase(source, new() { Tables = JournalTables.Default with { Schema = "none" } });
        Assert.Equal(FaultKind.MissingTable, await ProbeAsync(database));
    }

    [PostgreSqlFact]
    public async Task Permission_password_and_database_are_fatal()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync("CREATE ROLE nobody LOGIN PASSWORD 'secret'");
        await using var denied = journal.Open(new(), ";Username=nobody;Password=secret");
        Assert.Equal(FaultKind.Fatal, await ProbeAsync(denied));
        await using var password = journal.Open(new(), ";Password=wrong");
        Assert.Equal(FaultKind.Fatal, await ProbeAsync(password));
        await using var missing = journal.Open(new(), ";Database=nowhere");
        Assert.Equal(FaultKind.Fatal, await ProbeAsync(missing));
        await journal.ExecuteAsync("DROP ROLE nobody");
    }

    [PostgreSqlFact]
    public async Task A_full_server_and_a_stopped_server_are_classified()
    {
        using var server = PostgreSqlServer.Start(maxConnections: 8);
        await using var journal = await CreateAsync(server: server);
        await journal.Appender.DisposeAsync();
        List<NpgsqlConnection> taken = [];
        while (taken.Count < 8)
        {
            try
            {
                taken.Add(await journal.Sql.OpenConnectionAsync());
            }
            catch (PostgresException)
            {
                break;
            }
        }

        Assert.Equal(FaultKind.TooManyConnections, await ProbeAsync(journal.Database));
        foreach (var connection in taken)
            await connection.DisposeAsync();
        server.Stop();
        var refused = await Assert.ThrowsAnyAsync<Exception>(() => journal.Database.ProbeAsync(default));
        Assert.Equal(FaultKind.ConnectionLost, journal.Database.Classify(refused));
        Assert.Equal($"Failed to connect to 127.0.0.1:{server.Port}: {new SocketException((int)SocketError.ConnectionRefused).Message}.", journal.Database.ReasonOf(refused));
        server.Start();
        Assert.Equal("max_connections is 8", (await journal.Database.ProbeAsync(default)).CeilingReason);
    }

    [PostgreSqlFact]
    public async Task A_terminated_session_counts_as_ended()
    {
        await using var journal = await CreateAsync();
        // The session is opened before, because its own statements must not be counted.
        await journal.ReadAsync(Ask("a"));
        await using var holder = await journal.LockAsync();
        var reading = journal.Database.ReadPagesAsync(Statement(Ask("a")), default);
        await journal.UntilRunningAsync(1);
        await journal.ExecuteAsync(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'throttled'");
        var error = await Assert.ThrowsAsync<PostgresException>(() => reading);
        Assert.Equal(FaultKind.ConnectionLost, journal.Database.Classify(error));
        await holder.DisposeAsync();
        await journal.ReadAsync(Ask("a"));
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task The_session_of_a_crashed_server_is_broken_until_the_server_is_back()
    {
        using var server = PostgreSqlServer.Start(maxConnections: 20);
        await using var journal = await CreateAsync(server: server);
        // The session is opened before, because its own statements must not be counted.
        await journal.ReadAsync(Ask("a"));
        await using var holder = await journal.LockAsync(pooled: false);
        var reading = journal.Database.ReadPagesAsync(Statement(Ask("a")), default);
        await journal.UntilRunningAsync(1);
        server.Kill();
        var broken = (await Assert.ThrowsAsync<SessionBrokenException>(() => reading)).Session;
        Assert.Matches("^[0-9]+/[0-9]+$", broken.Backend);
        server.Start();
        Assert.Empty(await journal.Database.StillRunningAsync([broken], default));
    }

    [PostgreSqlFact]
    public async Task A_broken_session_that_still_runs_is_found_and_terminated()
    {
        await using var journal = await CreateAsync();
        await using var connection = await journal.Sql.OpenConnectionAsync();
        var broken = await LostAsync(connection);
        await using var holder = await journal.LockAsync();
        await using var blocked = new NpgsqlCommand("SELECT FROM journal", connection);
        var running = blocked.ExecuteNonQueryAsync();
        await journal.UntilActiveAsync("SELECT FROM journal", "Lock");

        Assert.Equal([broken], await journal.Database.StillRunningAsync([broken, new("1/1", default)], default));

        var error = await Assert.ThrowsAsync<PostgresException>(() => running.WithinAsync("the end of the statement of a broken session"));
        Assert.Equal(PostgresErrorCodes.AdminShutdown, error.SqlState);
        await Wait.UntilAsync(async () => (await journal.Database.StillRunningAsync([broken], default)).Count == 0, () => "its end");
    }

    [PostgreSqlFact]
    public async Task A_broken_session_whose_rows_are_not_read_is_terminated()
    {
        const string Endless = "SELECT repeat('x', 1000), generate_series(1, 1000000000)";
        await using var journal = await CreateAsync();
        await using var connection = await journal.Sql.OpenConnectionAsync();
        var broken = await LostAsync(connection);
        await using var command = new NpgsqlCommand(Endless, connection);
        var unread = await command.ExecuteReaderAsync();
        await journal.UntilActiveAsync(Endless, "Client");

        Assert.Equal([broken], await journal.Database.StillRunningAsync([broken], default));
        await Wait.UntilAsync(async () => (await journal.Database.StillRunningAsync([broken], default)).Count == 0, () => "its end");
        await Assert.ThrowsAnyAsync<NpgsqlException>(async () => await unread.DisposeAsync());
    }

    [PostgreSqlFact]
    public async Task A_role_that_may_not_terminate_sessions_still_finds_broken_sessions()
    {
        using var server = PostgreSqlServer.Start(maxConnections: 20);
        await using var journal = await CreateAsync(server: server);
        await journal.ExecuteAsync(
            """
            GRANT SELECT ON journal, tags TO journal_reader;
            REVOKE EXECUTE ON FUNCTION pg_terminate_backend FROM PUBLIC
            """);
        await using var role = NpgsqlDataSource.Create(
            new NpgsqlConnectionStringBuilder(journal.ConnectionString) { Username = PostgreSqlServer.Reader });
        await using var database = new PostgreSqlDatabase(PostgreSqlSource.Of(role), new());
        await using var connection = await role.OpenConnectionAsync();
        var broken = await LostAsync(connection);
        await using var holder = await journal.LockAsync();
        await using var blocked = new NpgsqlCommand("SELECT FROM journal", connection);
        var running = blocked.ExecuteNonQueryAsync();
        await journal.UntilActiveAsync("SELECT FROM journal", "Lock");

        Assert.Equal([broken], await database.StillRunningAsync([broken], default));

        await holder.DisposeAsync();
        await running;
        Assert.Empty(await database.StillRunningAsync([broken], default));
    }

    [PostgreSqlFact]
    public async Task A_changed_column_costs_one_attempt()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 1);
        await journal.ReadAsync(Ask("a"));
        await journal.ExecuteAsync("ALTER TABLE journal ALTER sequence_number TYPE int");
        Assert.Equal(
            FaultKind.Transient,
            await FaultAsync(journal.Database, database => database.ReadPagesAsync(Statement(Ask("a")), default)));
        Assert.Equal(1, Assert.Single(await journal.ReadAsync(Ask("a")))!.Value.LastRow);
    }

    [PostgreSqlFact]
    public async Task An_id_that_cannot_be_encoded_is_its_own_fault_and_costs_no_session()
    {
        await using var journal = await CreateAsync();
        await journal.ReadAsync(Ask("a"));
        var pid = await journal.ReaderAsync();
        Assert.Equal(
            FaultKind.Unreadable,
            await FaultAsync(journal.Database, database => database.ReadPagesAsync(Statement(Ask("a"), Ask("half \ud800")), default)));
        await journal.ReadAsync(Ask("a"));
        Assert.Equal(pid, await journal.ReaderAsync());
    }

    [Fact]
    public void A_server_older_than_12_is_refused_with_both_versions_named()
    {
        UnsupportedServerException.ThrowIfOlder(new(12, 0));
        UnsupportedServerException.ThrowIfOlder(new(18, 1));
        var error = Assert.Throws<UnsupportedServerException>(() => UnsupportedServerException.ThrowIfOlder(new(11, 22)));
        Assert.Equal("The server is PostgreSQL 11.22; it must be at least 12. Upgrade it.", error.Message);
        Assert.Equal(FaultKind.Fatal, PostgreSqlFaults.Classify(error));
    }

    [Theory]
    [InlineData("53300", nameof(FaultKind.TooManyConnections))]
    [InlineData("40001", nameof(FaultKind.Transient))]
    [InlineData("40P01", nameof(FaultKind.Transient))]
    [InlineData("55P03", nameof(FaultKind.Transient))]
    [InlineData("53200", nameof(FaultKind.Transient))]
    [InlineData("57P03", nameof(FaultKind.ConnectionLost))]
    [InlineData("08006", nameof(FaultKind.ConnectionLost))]
    [InlineData("57014", nameof(FaultKind.TimedOut))]
    [InlineData("42601", nameof(FaultKind.Fatal))]
    [InlineData("42501", nameof(FaultKind.Fatal))]
    [InlineData("28P01", nameof(FaultKind.Fatal))]
    [InlineData("3D000", nameof(FaultKind.Fatal))]
    [InlineData("XX001", nameof(FaultKind.Unreadable))]
    [InlineData("22021", nameof(FaultKind.Unreadable))]
    [InlineData("XX000", nameof(FaultKind.Unreadable))]
    [InlineData("25P04", nameof(FaultKind.TimedOut))]
    public void Each_code_has_its_fault_kind(string state, string kind) =>
        Assert.Equal(kind, PostgreSqlFaults.Classify(new PostgresException("m", "ERROR", "ERROR", state)).ToString());

    private static Task<FaultKind> ProbeAsync(PostgreSqlDatabase database) => FaultAsync(database, one => one.ProbeAsync(default));

    private static async Task<FaultKind> FaultAsync(PostgreSqlDatabase database, Func<PostgreSqlDatabase, Task> call) =>
        database.Classify(await Assert.ThrowsAnyAsync<Exception>(() => call(database)));

    private static async Task<BrokenSession> LostAsync(NpgsqlConnection connection) =>
        new(await connection.ScalarAsync<string>(PostgreSqlCatalogSql.OwnBackend), default);
}
