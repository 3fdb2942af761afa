using System.Data.Common;
using System.Net.Sockets;
using CrushTest.Floor;
using CrushTest.Settings;
using Npgsql;
using Throttled.Journal;
using Throttled.Journal.PostgreSql;

namespace CrushTest.Databases;

/// <summary>A PostgreSQL server. The engine's connections carry a name of their own, by which the server's view of them is counted.</summary>
internal sealed class PostgreSqlCrush : ICrushDatabase
{
    private const string EngineName = "throttled-crush-engine";
    private const string Form = "\"Host=…;Username=…;Password=…;Database=…\"";
    internal const string Variable = "THROTTLED_POSTGRES";

    private readonly NpgsqlConnectionStringBuilder _connection;
    private readonly NpgsqlDataSource _own;

    internal PostgreSqlCrush(CrushPlace place)
    {
        var connection = place.Connection ?? Environment.GetEnvironmentVariable(Variable);
        if (string.IsNullOrWhiteSpace(connection))
            throw new CrushException(
                $"--connection is missing; --database postgres needs it. Give {Form}, or set {Variable}.");
        _connection = Parse(connection);
        if (string.IsNullOrWhiteSpace(_connection.Host))
            throw new CrushException($"--connection has no Host; it must name the server. Write it as {Form}.");
        _own = NpgsqlDataSource.Create(new NpgsqlConnectionStringBuilder(_connection.ConnectionString) { CommandTimeout = 0 });
        Tables = CrushTables.Of(place);
    }

    public string Name => "PostgreSQL";

    public string Place => $"{_connection.Host}:{_connection.Port}/{_connection.Database}";

    public JournalTables Tables { get; }

    public string ReadersConnection =>
        new NpgsqlConnectionStringBuilder(_connection.ConnectionString) { ApplicationName = EngineName }.ConnectionString;

    public JournalReader OpenReader(JournalOptions options) =>
        PostgreSqlJournal.OpenReader(ReadersConnection, options with { Tables = Tables });

    public JournalAppender OpenAppender() => PostgreSqlJournal.OpenAppender(_connection.ConnectionString, Tables);

    public IFloor OpenFloor(FloorPlan plan) => new PostgreSqlFloor(
        _connection.ConnectionString, Tables, plan.On(2 * Environment.ProcessorCount));

    public async Task<JournalSize?> SizeAsync(CancellationToken cancellation)
    {
        await using var open = await _own.OpenConnectionAsync(cancellation);
        if (await ScalarAsync<object>(open, $"SELECT to_regclass('{Tables.JournalTable}')::text", cancellation) is DBNull)
            return null;
        return new(
            await ScalarAsync<long>(open, $"SELECT count(*) FROM {Tables.JournalTable}", cancellation),
            await ScalarAsync<long>(open, $"SELECT coalesce(max({Tables.SequenceNumberColumn}), 0) FROM {Tables.JournalTable}", cancellation));
    }

    public Task DropAsync(CancellationToken cancellation) =>
        RunAsync($"DROP TABLE IF EXISTS {Tables.JournalTable}, {Tables.TagTable}", cancellation);

    public async Task SettleAsync(CancellationToken cancellation)
    {
        await RunAsync($"VACUUM (ANALYZE) {Tables.JournalTable}", cancellation);
        await RunAsync("CHECKPOINT", cancellation);
    }

    public Task DeletePastAsync(int sequenceNumber, CancellationToken cancellation) => RunAsync(
        $"DELETE FROM {Tables.JournalTable} WHERE {Tables.SequenceNumberColumn} > {sequenceNumber}", cancellation);

    public async Task<IStatementCount?> CountStatementsAsync(CancellationToken cancellation)
    {
        var question = new NpgsqlCommand(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND state <> 'idle'",
            await _own.OpenConnectionAsync(cancellation))
        {
            Parameters = { new() { Value = EngineName } },
        };
        return new ActivityCount(question, "pg_stat_activity");
    }

    public CrushException Explain(DbException error)
    {
        var (remedy, says) = error switch
        {
            PostgresException told => (Remedy(told.SqlState), $"PostgreSQL says: {Sentence.Of(told.MessageText)}"),
            { InnerException: SocketException or TimeoutException } =>
                ("the server cannot be reached. Start it, or correct Host and Port.", Sentence.Of(error.Message)),
            _ => ("the connection failed. See the server's log.", $"The driver says: {Sentence.Of(error.Message)}"),
        };
        return new($"--connection names {_connection.Host}:{_connection.Port}; {remedy} {says}", error);
    }

    public ValueTask DisposeAsync() => _own.DisposeAsync();

    private static NpgsqlConnectionStringBuilder Parse(string connection)
    {
        try
        {
            return new(connection);
        }
        catch (ArgumentException error)
        {
            throw new CrushException($"--connection cannot be read: {Sentence.Of(error.Message)} Write it as {Form}.", error);
        }
    }

    private string Remedy(string state) => state switch
    {
        PostgresErrorCodes.InvalidPassword or PostgresErrorCodes.InvalidAuthorizationSpecification =>
            $"it does not let '{_connection.Username}' in. Correct Username and Password.",
        PostgresErrorCodes.InvalidCatalogName => $"it has no database '{_connection.Database}'. Create it, or correct Database.",
        PostgresErrorCodes.InsufficientPrivilege =>
            $"'{_connection.Username}' lacks a right. Grant CREATE on the schema, or give another Username.",
        PostgresErrorCodes.TooManyConnections => "it has no connection left. Close some, or raise max_connections.",
        PostgresErrorCodes.UndefinedTable or PostgresErrorCodes.UniqueViolation or PostgresErrorCodes.DuplicateTable =>
            $"another run replaced the journal {Tables.JournalTable}. Let one run at a time use a database.",
        PostgresErrorCodes.DiskFull => "its disk is full. Make room there.",
        _ => "it refused a statement. See the server's log.",
    };

    private async Task RunAsync(string sql, CancellationToken cancellation)
    {
        try
        {
            await using var command = _own.CreateCommand(sql);
            await command.ExecuteNonQueryAsync(cancellation);
        }
        catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.InsufficientPrivilege && sql == "CHECKPOINT")
        {
            // A superuser's right before PostgreSQL 15; without it the first round may pay for it.
        }
    }

    private static async Task<T> ScalarAsync<T>(NpgsqlConnection open, string sql, CancellationToken cancellation)
    {
        await using var command = new NpgsqlCommand(sql, open);
        return (T)(await command.ExecuteScalarAsync(cancellation))!;
    }
}
