using Microsoft.Extensions.Logging;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.PostgreSql.Tests.Contract;
using Throttled.Journal.Sqlite;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Security;

/// <summary>No log message, metric or error of a reader and its driver contains a password.</summary>
[Collection(SecurityCollection.Name)]
public sealed class SecretTests(PostgreSqlHost postgreSql, SqliteHost sqlite)
{
    private const string Secret = "hunter2-Zx81";

    // Valid and invalid connection strings; "{host}" and so on are those of the server.
    private static readonly string[] Faults =
    [
        "Host={host};Port={port};Database={database};Username=keeper;Password=wrong-" + Secret,
        "Host={host};Port={port};Database={database};Username=nobody-there;Password=" + Secret,
        "Host={host};Port={port};Database=not-there;Username=keeper;Password=" + Secret,
        "Host={host};Port={port};Database={database};Username=keeper;Password=" + Secret,
        "Host={host};Port={port};Database={database};Username=keeper;Persist Security Info=true;Password=" + Secret,
        "Host={host};Port={port};Database={database};Username=keeper;SSL Password=" + Secret + ";Password=" + Secret,
        "Host={host};Port={port};Database={database};Username=keeper;SSL Mode=Require;Password=" + Secret,
        "Host=127.0.0.1;Port=1;Database={database};Username=keeper;Persist Security Info=true;Password=" + Secret,
        "Host=not-there.invalid;Port={port};Database={database};Username=keeper;Password=" + Secret,
    ];

    public static TheoryData<string> Unreadable =>
    [
        "Host=a;Pasword=" + Secret,
        "Host=a;Password=\"" + Secret,
        "Host=a;Password=abc;" + Secret,
        "Host=a;Password=abc;" + Secret + "=x",
        "Host=a;Username=b;Pwd=abc;" + Secret + "=x;Database=c",
        "Host=a;Password=" + Secret + ";Port=99999999",
        "Host=a;Password=" + Secret + ";Port=none",
        "Host=a;Password=" + Secret + ";SSL Mode=none",
        "Host=a,b;Password=" + Secret,
        "Host=a;Multiplexing=true;Password=" + Secret + ";Colour=red",
        "Password=" + Secret,
        Secret,
    ];

    [PostgreSqlFact]
    public async Task No_error_on_PostgreSQL_contains_a_password()
    {
        await using var journal = await NewAsync();
        var server = new NpgsqlConnectionStringBuilder(journal.OwnerConnectionString);
        foreach (var connectionString in Faults)
            await AssertSilentAsync(connectionString, server);
    }

    private static async Task AssertSilentAsync(string connectionString, NpgsqlConnectionStringBuilder server)
    {
        var filled = connectionString.Replace("{host}", server.Host).Replace("{port}", $"{server.Port}").Replace("{database}", server.Database);
        using var all = new Recording();
        await DriveAsync(all, log => PostgreSqlJournal.OpenReader(filled, Options(log)));
        await DriveAsync(all, log => PostgreSqlJournal.OpenReader(filled, Options(log) with { Tables = JournalTables.Default with { JournalTable = "none" }, RequireTable = true }));
        await DriveAsync(all, log => PostgreSqlJournal.OpenReader(filled, Options(log) with { Tables = JournalTables.Default with { PayloadColumn = "none" } }));
        // With a given data source, its creator decides what the driver logs.
        var given = new NpgsqlConnectionStringBuilder(filled) { PersistSecurityInfo = false, SslPassword = null };
        await using var source = new NpgsqlDataSourceBuilder(given.ConnectionString) { Name = "journal" }.UseLoggerFactory(all).Build();
        await DriveAsync(all, log => PostgreSqlJournal.OpenReader(source, Options(log)));
        AssertSilent(all);
    }

    [PostgreSqlFact]
    public async Task Ended_sessions_and_revoked_rights_reveal_no_password()
    {
        await using var journal = await NewAsync();
        var server = new NpgsqlConnectionStringBuilder(journal.OwnerConnectionString);
        (server.Username, server.Password, server.PersistSecurityInfo) = ("keeper", Secret, true);
        using var all = new Recording();
        var given = new NpgsqlConnectionStringBuilder(server.ConnectionString) { PersistSecurityInfo = false };
        await using var source = new NpgsqlDataSourceBuilder(given.ConnectionString) { Name = "journal" }.UseLoggerFactory(all).Build();
        foreach (var open in (Func<JournalReader>[])[
            () => PostgreSqlJournal.OpenReader(server.ConnectionString, Options(all)), () => PostgreSqlJournal.OpenReader(source, Options(all))])
        {
            await using var reader = open();
            await using var live = LiveReading.Of(reader.AllEvents());
            await live.UntilAsync(1);
            await journal.ExecuteAsync("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'keeper'; REVOKE SELECT ON journal FROM keeper");
            await Wait.UntilAsync(() => live.Ended.IsCompleted, "the end of the query");
            all.Add((await Assert.ThrowsAsync<JournalException>(() => live.Ended)).ToString());
            await journal.ExecuteAsync("GRANT SELECT ON journal TO keeper");
        }
        AssertSilent(all);
    }

    [Theory]
    [MemberData(nameof(Unreadable))]
    public void The_error_of_an_unreadable_connection_string_contains_no_password(string connectionString)
    {
        foreach (var open in (Func<object>[])[
            () => PostgreSqlJournal.OpenReader(connectionString), () => PostgreSqlJournal.OpenAppender(connectionString),
            () => SqliteJournal.OpenReader(connectionString), () => SqliteJournal.OpenAppender(connectionString)])
        {
            var error = Assert.ThrowsAny<ArgumentException>(open);
            Assert.DoesNotContain(Secret, error.ToString(), StringComparison.OrdinalIgnoreCase);
        }
    }

    [Theory]
    [InlineData("Data Source={file};Password=" + Secret)]
    [InlineData("Data Source={file}.none/none;Password=" + Secret)]
    public async Task No_error_on_SQLite_contains_a_password(string connectionString)
    {
        await using var journal = await sqlite.NewJournalAsync();
        await using var connection = await journal.ConnectAsync();
        using var all = new Recording();
        await DriveAsync(all, log => SqliteJournal.OpenReader(connectionString.Replace("{file}", connection.DataSource), Options(log)));
        AssertSilent(all);
    }

    [Fact]
    public async Task An_unsupported_password_on_SQLite_fails_the_query_at_once()
    {
        await using var journal = await sqlite.NewJournalAsync();
        await using var connection = await journal.ConnectAsync();
        await using var reader = SqliteJournal.OpenReader($"Data Source={connection.DataSource};Password={Secret}");
        var error = await Assert.ThrowsAsync<JournalException>(() => reader.AllEvents().FirstAsync(1));
        Assert.Contains("password", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(Secret, error.ToString(), StringComparison.Ordinal);
    }

    private async Task<PostgreSqlJournalUnderTest> NewAsync()
    {
        var journal = (PostgreSqlJournalUnderTest)await postgreSql.NewJournalAsync();
        await journal.AppendAsync("a", 1, 1);
        await journal.ExecuteAsync(
            $"""
            DO $$ BEGIN CREATE ROLE keeper LOGIN PASSWORD '{Secret}'; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
            GRANT {PostgreSqlServer.Reader} TO keeper;
            REVOKE SELECT ON journal FROM {PostgreSqlServer.Reader};
            GRANT SELECT ON journal TO keeper
            """);
        return journal;
    }

    private static JournalOptions Options(ILoggerFactory log) => new() { LoggerFactory = log, Notify = false, FatalErrorGracePeriod = TimeSpan.Zero };

    /// <summary>Reads until the query delivers, fails, or the log reports a failure, and records the error.</summary>
    private static async Task DriveAsync(Recording all, Func<ILoggerFactory, JournalReader> open)
    {
        JournalReader reader;
        try
        {
            reader = open(all);
        }
        catch (ArgumentException error)
        {
            all.Add(error.ToString());
            return;
        }
        await using (reader)
        {
            var before = all.Ids.Count;
            await using var live = LiveReading.Of(reader.AllEvents());
            await Wait.UntilAsync(() => live.Count > 0 || live.Ended.IsCompleted || all.Ids.Skip(before).Any(id => id is 1 or 3), "an event, an error or a log entry");
            if (live.Ended.Exception is { } error)
                all.Add(error.ToString());
        }
    }

    private static void AssertSilent(Recording all)
    {
        // The recording contains output of the engine and its statements.
        Assert.Contains(all.Texts, text => text.Contains("Throttled.Journal", StringComparison.Ordinal));
        Assert.DoesNotContain(all.Texts, text => text.Contains(Secret, StringComparison.OrdinalIgnoreCase));
    }
}
