using System.Data.Common;
using System.Net.Sockets;
using CrushTest.Floor;
using CrushTest.Settings;
using Npgsql;
using Throttled.Journal;
using Throttled.Journal.PostgreSql;

namespace CrushTest.Databases;

/// <summary>A PostgreSQL server. The readers' connections have their own application name, by which the server's view counts them.</summary>
internal sealed class PostgreSqlCrush : CrushDatabase
{
    internal const string Variable = "THROTTLED_POSTGRES";
    private const string ReadersName = "throttled-crush-readers";
    private const string Form = "\"Host=…;Username=…;Password=…;Database=…\"";

    private readonly NpgsqlConnectionStringBuilder _connection;

    internal PostgreSqlCrush(CrushPlace place)
        : base(place)
    {
        var connection = place.Connection ?? Environment.GetEnvironmentVariable(Variable);
        if (string.IsNullOrWhiteSpace(connection))
            throw new CrushException(
                $"--connection is missing; --database postgres needs it. Give {Form}, or set {Variable}.");
        _connection = CrushPlace.Read(() => new NpgsqlConnectionStringBuilder(connection), $"Write it as {Form}.");
        if (string.IsNullOrWhiteSpace(_connection.Host))
            throw new CrushException($"--connection has no Host; it must name the server. Write it as {Form}.");
    }

    internal override string Name => "PostgreSQL";

    internal override string Place => $"{_connection.Host}:{_connection.Port}/{_connection.Database}";

    internal override string ReadersConnection =>
        new NpgsqlConnectionStringBuilder(_connection.ConnectionString) { ApplicationName = ReadersName }.ConnectionString;

    protected override string TableExists => $"SELECT count(to_regclass('{Tables.JournalTable}')::text)";

    protected override IEnumerable<string> Upkeep => [$"VACUUM (ANALYZE) {Tables.JournalTable}", "CHECKPOINT"];

    internal override JournalReader OpenReader(JournalOptions options) =>
        PostgreSqlJournal.OpenReader(ReadersConnection, options with { Tables = Tables });

    internal override JournalAppender OpenAppender() => PostgreSqlJournal.OpenAppender(_connection.ConnectionString, Tables);

    internal override IFloor OpenFloor(FloorPlan plan) =>
        new PostgreSqlFloor(_connection.ConnectionString, Tables, plan.On(2 * Environment.ProcessorCount));

    internal override async Task<IStatementCount?> CountStatementsAsync(CancellationToken cancellation)
    {
        var question = new NpgsqlCommand(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND state <> 'idle'",
            (NpgsqlConnection)await OpenAsync(cancellation))
        {
            Parameters = { new() { Value = ReadersName } },
        };
        return new ActivityCount(question, "pg_stat_activity");
    }

    internal override CrushException Explain(DbException error)
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

    protected override DbConnection NewConnection() => new NpgsqlConnection(_connection.ConnectionString);

    // CHECKPOINT needs a superuser before PostgreSQL 15.
    protected override bool IsRefusal(DbException error) => error.SqlState == PostgresErrorCodes.InsufficientPrivilege;

    private string Remedy(string state) => state switch
    {
        PostgresErrorCodes.InvalidPassword or PostgresErrorCodes.InvalidAuthorizationSpecification =>
            $"it refuses the login '{_connection.Username}'. Correct Username and Password.",
        PostgresErrorCodes.InvalidCatalogName => $"it has no database '{_connection.Database}'. Create it, or correct Database.",
        PostgresErrorCodes.InsufficientPrivilege =>
            $"'{_connection.Username}' lacks a right. Grant CREATE on the schema, or give another Username.",
        PostgresErrorCodes.TooManyConnections => "it has no connection left. Close some, or raise max_connections.",
        PostgresErrorCodes.UndefinedTable or PostgresErrorCodes.UniqueViolation or PostgresErrorCodes.DuplicateTable =>
            $"another run replaced the journal {Tables.JournalTable}. Do not use a database in two runs at once.",
        PostgresErrorCodes.DiskFull => "its disk is full. Make room there.",
        _ => "it refused a statement. See the server's log.",
    };
}
