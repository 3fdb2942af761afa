using Npgsql;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

public class SourceTests
{
    [Theory]
    [InlineData("Host=a,b;Password=secret", "'Target Session Attributes' is any with 2 hosts")]
    [InlineData("Host=a,b,c;Password=secret;Target Session Attributes=prefer-standby", "is prefer-standby with 3 hosts")]
    [InlineData("Host=a,b;Password=secret;Target Session Attributes=primary;Load Balance Hosts=true", "'Load Balance Hosts' is true")]
    public async Task Load_balanced_hosts_are_refused(string connectionString, string part)
    {
        await using var dataSource = new NpgsqlDataSourceBuilder(connectionString).BuildMultiHost();
        foreach (var open in (Func<JournalReader>[])[
            () => PostgreSqlJournal.OpenReader(connectionString),
            () => PostgreSqlJournal.OpenReader(dataSource)])
        {
            var error = Assert.Throws<ArgumentException>(open);
            Assert.Contains(part, error.Message, StringComparison.Ordinal);
            Assert.DoesNotContain("secret", error.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Without_a_command_timeout_the_statement_timeout_applies()
    {
        var options = new JournalOptions { StatementTimeout = TimeSpan.FromSeconds(1.5) };
        await using var source = PostgreSqlSource.Parse("Host=a;Command Timeout=0", PostgreSqlSession.DriverSeconds(options));
        Assert.Equal(7, new NpgsqlConnectionStringBuilder(source.ConnectionString).CommandTimeout);
    }

    [Theory]
    [InlineData("nonsense", "The connection string is not valid for PostgreSQL: ")]
    [InlineData("Host=a;Colour=secret", "The connection string is not valid for PostgreSQL: ")]
    [InlineData("Host=a;Port=secret", "The connection string is not valid for PostgreSQL: ")]
    [InlineData("Host=a;SSL Mode=secret", "The connection string is not valid for PostgreSQL: ")]
    [InlineData("Data Source=journal.db", "The connection string is not valid for PostgreSQL: Couldn't set data source (Parameter 'data source'). Write it as in ")]
    [InlineData("", "The connection string has no 'Host'; it must name the server.")]
    [InlineData("Username=secret", "The connection string has no 'Host'; it must name the server.")]
    public void An_unreadable_connection_string_is_refused_and_not_shown(string connectionString, string part)
    {
        foreach (var open in (Func<object>[])[
            () => PostgreSqlJournal.OpenReader(connectionString), () => PostgreSqlJournal.OpenAppender(connectionString)])
        {
            var error = Assert.Throws<ArgumentException>(open);
            Assert.StartsWith(part, error.Message, StringComparison.Ordinal);
            Assert.DoesNotContain("secret", error.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("Host=a")]
    [InlineData("Host=a,b;Target Session Attributes=primary")]
    [InlineData("Host=a,b;Target Session Attributes=read-write")]
    public async Task One_host_at_a_time_is_accepted(string connectionString) =>
        await PostgreSqlSource.Parse(connectionString).DisposeAsync();

    [Theory]
    [InlineData("", 10)]
    [InlineData(";Timeout=0", 10)]
    [InlineData(";Timeout=3", 3)]
    [InlineData(";Timeout=60", 10)]
    public async Task Connecting_takes_ten_seconds_at_most(string setting, int seconds)
    {
        await using var source = PostgreSqlSource.Parse("Host=a" + setting);
        Assert.Equal(seconds, new NpgsqlConnectionStringBuilder(source.ConnectionString).Timeout);
    }

    [Fact]
    public async Task A_target_session_has_to_be_in_the_connection_string()
    {
        await using var unsaid = new NpgsqlDataSourceBuilder("Host=a,b").BuildMultiHost();
        var error = Assert.Throws<ArgumentException>(
            () => PostgreSqlSource.Of(unsaid.WithTargetSession(TargetSessionAttributes.Primary)));
        Assert.Contains("in the connection string", error.Message, StringComparison.Ordinal);
        await using var primary = new NpgsqlDataSourceBuilder("Host=a,b;Target Session Attributes=primary").BuildMultiHost();
        await PostgreSqlSource.Of(primary.WithTargetSession(TargetSessionAttributes.Primary)).DisposeAsync();
    }

    [Fact]
    public async Task Options_are_checked_before_anything_is_opened()
    {
        await using var given = NpgsqlDataSource.Create("Host=a");
        var nameless = JournalTables.Default with { JournalTable = null! };
        foreach (var open in (Func<IAsyncDisposable>[])[
            () => PostgreSqlJournal.OpenReader("Host=a", new() { Tables = nameless }),
            () => PostgreSqlJournal.OpenReader(given, new() { Tables = nameless }),
            () => PostgreSqlJournal.OpenAppender("Host=a", nameless),
            () => PostgreSqlJournal.OpenAppender(given, nameless)])
        {
            var error = Assert.Throws<ArgumentException>(open);
            Assert.Contains("'JournalTable'", error.Message, StringComparison.Ordinal);
        }

        var both = Assert.Throws<ArgumentException>(
            () => PostgreSqlJournal.OpenReader("Host=a,b", new() { MaxBufferSize = 0 }));
        Assert.Contains("'MaxBufferSize'", both.Message, StringComparison.Ordinal);
    }

    [PostgreSqlTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_given_data_source_stays_open_and_its_connections_are_not_changed(bool noReset)
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 2);
        await using var given = NpgsqlDataSource.Create(
            $"{journal.ConnectionString};Maximum Pool Size=5;No Reset On Close={noReset}");
        await using (var database = new PostgreSqlDatabase(PostgreSqlSource.Of(given), new()))
        {
            var result = await database.ProbeAsync(default);
            Assert.Equal((3, "Maximum Pool Size is 5"), (result.StatementCeiling, result.CeilingReason));
            var rows = Statement(Ask("a"));
            await database.ReadPagesAsync(rows, default);
            rows.Complete();
            Assert.Equal(2, Assert.Single(rows.Pages)!.Value.LastRow);
        }

        await using var command = given.CreateCommand("SHOW statement_timeout");
        Assert.Equal("0", await command.ExecuteScalarAsync());
    }

    [PostgreSqlFact]
    public async Task A_probe_cancels_nothing()
    {
        await using var journal = await CreateAsync();
        using var log = new DriverLog();
        await using var given = new NpgsqlDataSourceBuilder(journal.ConnectionString).UseLoggerFactory(log).Build();
        await using var database = new PostgreSqlDatabase(PostgreSqlSource.Of(given), new());
        await database.ProbeAsync(default);
        Assert.Contains(log.Lines, line => line.Contains("max_connections", StringComparison.Ordinal));
        Assert.DoesNotContain(log.Lines, line => line.Contains("cancel", StringComparison.OrdinalIgnoreCase));
    }

    [PostgreSqlFact]
    public async Task Sessions_have_the_settings_of_a_reader()
    {
        await using var journal = await CreateAsync();
        await using var source = PostgreSqlSource.Parse(journal.ConnectionString);
        await using var sessions = new PostgreSqlSessions(source, new() { StatementTimeout = TimeSpan.FromSeconds(7) });
        var settings = await sessions.RunAsync(
            session => session.ScalarAsync(
                "SELECT current_setting('statement_timeout') || current_setting('plan_cache_mode') || current_setting('application_name')", default),
            default);
        Assert.Equal("7sforce_custom_planthrottled", settings);
    }

    [Theory]
    [InlineData("Host=db;Database=app;Username=reader;Password=hunter2", "database 'app' on db:5432 as user 'reader'")]
    [InlineData("Host=a:1,b:2;Username=reader;Target Session Attributes=primary;SSL Password=hunter2", "database 'reader' on a:1,b:2 as user 'reader'")]
    [InlineData("Host=/run/postgresql;Port=5433", "/run/postgresql:5433")]
    public async Task Its_address_is_server_database_and_user(string connectionString, string address)
    {
        await using var database = PostgreSqlJournal.OpenDatabase(connectionString, new());
        Assert.Equal(address, database.Address);
    }
}
