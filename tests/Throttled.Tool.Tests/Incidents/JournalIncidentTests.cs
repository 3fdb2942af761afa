using System.Text.Json;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Testing;
using Xunit.Abstractions;

namespace Throttled.Tool.Tests.Incidents;

/// <summary>Incidents of a journal on PostgreSQL. The entries of the runbook have the output of these tests.</summary>
[Trait("Category", "Long")]
public sealed class JournalIncidentTests(IncidentServer servers, ITestOutputHelper output) : IClassFixture<IncidentServer>, IAsyncLifetime
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(70);

    private readonly string _name = $"shop-{Guid.NewGuid().ToString()[..6]}";
    private readonly AheadClock _clock = new();
    private OperatorView _view = null!;
    private string _owner = "";
    private long _sequenceNumber;

    public async Task InitializeAsync()
    {
        _view = await OperatorView.OpenAsync(_name, output);
        if (!PostgreSqlServer.IsInstalled)
            return;
        _owner = servers.Server.CreateDatabase();
        await using (var appender = PostgreSqlJournal.OpenAppender(_owner))
            await appender.CreateAsync();
        await ExecuteAsync("GRANT SELECT ON journal, tags TO journal_reader; GRANT SELECT ON SEQUENCE journal_ordering_seq TO journal_reader");
        await AppendAsync();
        await AppendAsync();
        await AppendAsync();
    }

    public async Task DisposeAsync() => await _view.DisposeAsync();

    [PostgreSqlFact]
    public async Task A_session_that_has_locked_the_journal_is_named_by_the_doctor_while_queries_wait()
    {
        await using var reader = Open(permits: 1);
        await using var all = LiveReading.Of(reader.AllEvents());
        await all.UntilAsync(3);
        await _view.JournalAsync(each => Number(each, "queriesFollowing") == 1);
        await using var migration = await BeginAsync("nightly migration", "LOCK TABLE journal IN ACCESS EXCLUSIVE MODE");
        await using var first = LiveReading.Of(reader.EventsByPersistenceId("order-1"));
        await _view.JournalAsync(each => Number(each, "permitsUsed") == 1);
        await using var second = LiveReading.Of(reader.EventsByPersistenceId("order-2"));

        await _view.JournalAsync(each => Number(each, "permitsUsed") == 1 && Number(each, "queriesWaiting") >= 1);
        _clock.Advance(Long);
        await _view.AlertAsync("ThrottledPermitWaitLong");
        await _view.AlertAsync("ThrottledHighWaterMarkOld");
        await _view.ToolAsync(
            Tool("doctor", _owner), 1,
            $"✗ lock Session {migration.ProcessID} (user 'postgres', application 'nightly migration') has locked \"journal\". Queries that read it wait",
            "idle in transaction: LOCK TABLE journal IN ACCESS EXCLUSIVE MODE",
            $"SELECT pg_terminate_backend({migration.ProcessID})");
        await _view.ToolAsync(
            Tool("journal", _owner), 2,
            $"Session {migration.ProcessID} (user 'postgres', application 'nightly migration') has locked \"journal\". Queries that read it wait",
            $"If it may be rolled back: SELECT pg_terminate_backend({migration.ProcessID});");

        await TerminateAsync(migration);
        await first.UntilAsync(1);
        await second.UntilAsync(1);
        await AppendAsync();
        await all.UntilAsync(4);
    }

    [PostgreSqlFact]
    public async Task A_table_for_which_a_session_waits_to_lock_it_is_reported_too()
    {
        await using var report = await BeginAsync("report", "SELECT count(*) FROM journal");
        await using var migration = await BeginAsync("nightly migration", "SELECT 1");
        var waiting = ExecuteAsync(migration, "LOCK TABLE journal IN ACCESS EXCLUSIVE MODE");

        await _view.ToolAsync(
            Tool("doctor", Reader), 1, $"✗ lock Session {migration.ProcessID} (user 'postgres', application 'nightly migration') waits to lock \"journal\". Queries that read it wait");
        await _view.ToolAsync(Tool("journal", Reader), 2, $"Session {migration.ProcessID} (user 'postgres', application 'nightly migration') waits to lock \"journal\".");

        await report.DisposeAsync();
        await waiting.WithinAsync("the lock");
    }

    [PostgreSqlFact]
    public async Task A_stalled_gap_is_shown_with_the_transaction_that_may_fill_it()
    {
        await using var reader = Open();
        await using var all = LiveReading.Of(reader.AllEvents());
        await all.UntilAsync(3);
        await using var import = await BeginAsync("import", "SELECT nextval('journal_ordering_seq')");
        await AppendAsync();

        await _view.JournalAsync(each => Number(each, "gaps") == 1 && Number(each, "highWaterMark") == 3);
        _clock.Advance(Long);
        await _view.AlertAsync("ThrottledHighWaterMarkStalled");
        await _view.AlertAsync("ThrottledHighWaterMarkOld");
        await _view.JournalAsync(each => each.GetProperty("stalledSeconds").GetDouble() > 10);
        await _view.ToolAsync(
            Tool("journal", _owner), 0, "journal end 5", "1 missing from ordering 1: 4. The transactions below may still fill them",
            $"(pid {import.ProcessID}, 'import', idle in transaction): SELECT nextval('journal_ordering_seq')");
        await _view.ToolAsync(Tool("doctor", _owner), 0, "✓ transactions the oldest has been open for");
        Assert.Equal(3, all.Count);

        await TerminateAsync(import);
        await all.UntilAsync(4);
        await _view.QuietAsync("ThrottledHighWaterMarkStalled");
        await _view.ToolAsync(Tool("journal", _owner), 0, "Nothing can fill them");
    }

    [PostgreSqlFact]
    public async Task A_commit_that_the_disk_holds_up_stalls_the_mark_and_is_shown_as_a_commit()
    {
        await ExecuteAsync(SlowCommit.Sql(TimeSpan.FromMinutes(1)));
        await using var reader = Open();
        await using var all = LiveReading.Of(reader.AllEvents());
        await all.UntilAsync(3);
        var slow = AppendAsync();
        await Wait.UntilAsync(async () => await ScalarAsync<long>("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == 1, () => "a slow commit");
        // This session does not run the trigger.
        await AppendAsync($"{_owner};Options=-c session_replication_role=replica");

        await _view.JournalAsync(each => Number(each, "gaps") == 1);
        _clock.Advance(Long);
        await _view.AlertAsync("ThrottledHighWaterMarkStalled");
        await _view.AlertAsync("ThrottledHighWaterMarkOld");
        await _view.ToolAsync(Tool("journal", _owner), 0, "journal end 5", "active): COMMIT");

        await ExecuteAsync("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
        await Assert.ThrowsAnyAsync<Exception>(() => slow.WithinAsync("the end of the slow commit"));
        await all.UntilAsync(4);
    }

    [PostgreSqlFact]
    public async Task A_login_with_too_few_connections_reads_nothing_and_the_doctor_says_which_limit()
    {
        await using var reader = Open(Reader);
        await using var all = LiveReading.Of(reader.AllEvents());
        await all.UntilAsync(3);
        await ExecuteAsync("ALTER ROLE journal_reader CONNECTION LIMIT 0; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'journal_reader'");
        try
        {
            await _view.AlertAsync("ThrottledJournalCannotBeRead");
            await _view.JournalAsync(CannotBeRead);
            await _view.ToolAsync(
                Tool("doctor", Reader), 2,
                "it has no connection left. Close some, or raise max_connections, or the CONNECTION LIMIT of the login or of the database.",
                "too many connections for role \"journal_reader\"");
        }
        finally
        {
            await ExecuteAsync("ALTER ROLE journal_reader CONNECTION LIMIT 12");
        }
        await _view.ToolAsync(
            [.. Tool("doctor", Reader), "--processes", "3", "--permits", "20"], 1,
            "✗ connections 12 connections for this login (CONNECTION LIMIT of the role 'journal_reader')", "3 processes with 20 permits open up to 66",
            "Set MaxConcurrentQueries (max-concurrent-queries) to at most 2, and less if writers use this login; or raise max_connections and run ALTER ROLE \"journal_reader\" CONNECTION LIMIT 66");
        await AppendAsync();
        await all.UntilAsync(4);
        await _view.JournalAsync(each => each.GetProperty("circuitBreaker").GetString() == "closed");
        await ExecuteAsync("ALTER ROLE journal_reader CONNECTION LIMIT -1");
    }

    [PostgreSqlFact]
    public async Task A_server_that_is_away_as_in_a_failover_is_named_and_queries_continue_when_it_is_back()
    {
        await using var reader = Open();
        await using var all = LiveReading.Of(reader.AllEvents());
        await all.UntilAsync(3);
        servers.Server.Stop();
        try
        {
            await _view.AlertAsync("ThrottledJournalCannotBeRead");
            await _view.JournalAsync(CannotBeRead);
            await _view.ToolAsync(Tool("doctor", _owner), 2, "the server cannot be reached. Start it, or correct Host and Port.");
            await _view.ToolAsync(Tool("journal", _owner), 2, "The journal cannot be read:", "Run 'throttled doctor'.");
        }
        finally
        {
            servers.Server.Start();
        }
        await AppendAsync();
        await all.UntilAsync(4);
        await _view.ToolAsync(Tool("doctor", _owner), 0, "the last ordering is");
    }

    [PostgreSqlFact]
    public async Task A_journal_that_went_back_ends_its_queries_and_fires_an_alert()
    {
        await using var reader = Open();
        await using var all = LiveReading.Of(reader.AllEvents());
        await all.UntilAsync(3);
        Assert.False(_view.HasAlert("ThrottledJournalWentBack"));
        await ExecuteAsync("DELETE FROM journal WHERE ordering > 1; SELECT setval('journal_ordering_seq', 1)");

        await Assert.ThrowsAsync<JournalRewoundException>(() => all.Ended.WithinAsync("the end of the query"));
        await _view.AlertAsync("ThrottledJournalWentBack");
        await _view.JournalAsync(each => Number(each, "queriesFollowing") == 0 && each.GetProperty("circuitBreaker").GetString() == "closed");
        await _view.JournalAsync(each => Number(each, "rewoundFrom") == 3 && each.GetProperty("rewoundSecondsAgo").GetDouble() < 60);
        await _view.ToolAsync(Tool("journal", _owner), 0, "journal end 1", "gaps none from ordering 1");
        await _view.ToolAsync(Tool("doctor", _owner), 0, "the last ordering is 1");
    }

    private string Reader => new NpgsqlConnectionStringBuilder(_owner) { Username = PostgreSqlServer.Reader }.ConnectionString;

    private static string[] Tool(string command, string connection) => [command, "--database", "postgres", "--connection", connection];

    private static bool CannotBeRead(JsonElement journal) => journal.GetProperty("circuitBreaker").GetString() is "open" or "half_open";

    private static long? Number(JsonElement item, string name) => item.GetProperty(name) is { ValueKind: JsonValueKind.Number } number ? number.GetInt64() : null;

    private JournalReader Open(string? connection = null, int permits = 10) =>
        PostgreSqlJournal.OpenReader(connection ?? _owner, new() { Name = _name, MaxConcurrentQueries = permits, TimeProvider = _clock });

    // One event of an id of its own: order-1, order-2 and so on.
    private async Task AppendAsync(string? connection = null)
    {
        await using var appender = PostgreSqlJournal.OpenAppender(connection ?? _owner);
        await appender.AppendAsync(TestEvents.Of($"order-{Interlocked.Increment(ref _sequenceNumber)}", 1, 1));
    }

    private async Task<NpgsqlConnection> BeginAsync(string application, string sql)
    {
        var connection = new NpgsqlConnection(new NpgsqlConnectionStringBuilder(_owner) { ApplicationName = application, Pooling = false }.ConnectionString);
        await connection.OpenAsync();
        await ExecuteAsync(connection, "BEGIN");
        await ExecuteAsync(connection, sql);
        return connection;
    }

    private Task TerminateAsync(NpgsqlConnection session) => ExecuteAsync($"SELECT pg_terminate_backend({session.ProcessID})");

    private async Task ExecuteAsync(string sql)
    {
        await using var connection = new NpgsqlConnection($"{_owner};Pooling=False");
        await connection.OpenAsync();
        await ExecuteAsync(connection, sql);
    }

    private async Task<T> ScalarAsync<T>(string sql)
    {
        await using var connection = new NpgsqlConnection($"{_owner};Pooling=False");
        await connection.OpenAsync();
        return await connection.ScalarAsync<T>(sql);
    }

    private static async Task ExecuteAsync(NpgsqlConnection connection, string sql) => await connection.RunAsync(sql);
}

/// <summary>The server of these tests, started by the first of them that runs. The tests run one after the other.</summary>
public sealed class IncidentServer : IDisposable
{
    private readonly Lazy<PostgreSqlServer> _server =
        new(() => PostgreSqlServer.Start(maxConnections: 50, settings: new Dictionary<string, string> { ["shared_buffers"] = "32MB", ["autovacuum"] = "off" }));

    internal PostgreSqlServer Server => _server.Value;

    public void Dispose()
    {
        if (_server.IsValueCreated)
            _server.Value.Dispose();
    }
}
