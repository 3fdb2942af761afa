using System.Data.Common;
using CrushTest.Floor;
using CrushTest.Settings;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Tool.CommandLine;

namespace CrushTest.Databases;

/// <summary>A PostgreSQL server. The readers' connections have their own application name, by which the server's view counts them.</summary>
internal sealed class PostgreSqlCrush : CrushDatabase
{
    private const string ReadersName = "throttled-crush-readers";

    private readonly NpgsqlConnectionStringBuilder _connection;

    internal PostgreSqlCrush(CrushPlace place)
        : base(place) => _connection = PostgreSqlServer.Read("--connection", place.Connection);

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

    internal override CommandException Explain(DbException error) => PostgreSqlServer.Explain(error, Replaced, _connection);

    protected override DbConnection NewConnection() => new NpgsqlConnection(_connection.ConnectionString);

    // CHECKPOINT needs a superuser before PostgreSQL 15.
    protected override bool IsRefusal(DbException error) => error.SqlState == PostgresErrorCodes.InsufficientPrivilege;
}
