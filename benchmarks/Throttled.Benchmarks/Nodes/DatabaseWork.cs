using Npgsql;
using Throttled.Benchmarks.Tags;
using Throttled.Testing;

namespace Throttled.Benchmarks.Nodes;

/// <summary>What a server did so far.</summary>
/// <param name="Statements">Statements of readers (pg_stat_statements, of the readers' role).</param>
/// <param name="Rows">Rows that these statements returned.</param>
/// <param name="Others">All other statements: of writers, and of projections.</param>
/// <param name="Cpu">Seconds of processor time of all processes of the server.</param>
internal sealed record Work(double Statements, double Rows, double Others, double Cpu)
{
    public static Work operator -(Work left, Work right) =>
        new(left.Statements - right.Statements, left.Rows - right.Rows, left.Others - right.Others, left.Cpu - right.Cpu);
}

/// <summary>A PostgreSQL server that counts statements, and its work.</summary>
internal sealed class DatabaseWork : IAsyncDisposable
{
    private const string Sql =
        $"""
        SELECT coalesce(sum(calls) FILTER (WHERE rolname = '{PostgreSqlServer.Reader}'), 0)::float8,
            coalesce(sum(rows) FILTER (WHERE rolname = '{PostgreSqlServer.Reader}'), 0)::float8,
            coalesce(sum(calls) FILTER (WHERE rolname <> '{PostgreSqlServer.Reader}'), 0)::float8
        FROM pg_stat_statements JOIN pg_roles ON pg_roles.oid = userid
        """;

    private readonly PostgreSqlServer _server;
    private readonly NpgsqlDataSource _source;
    private readonly ServerLoad _load;

    private DatabaseWork(PostgreSqlServer server, ServerLoad load)
    {
        (_server, _load) = (server, load);
        _source = NpgsqlDataSource.Create(server.ConnectionString());
    }

    internal PostgreSqlServer Server => _server;

    internal static async Task<DatabaseWork> StartAsync()
    {
        var server = PostgreSqlServer.Start(
            maxConnections: 200, settings: new Dictionary<string, string> { ["shared_preload_libraries"] = "pg_stat_statements", ["pg_stat_statements.max"] = "10000" });
        var work = new DatabaseWork(server, await ServerLoad.OpenAsync(server.ConnectionString()));
        await work.RunAsync("CREATE EXTENSION pg_stat_statements");
        return work;
    }

    /// <summary>The connection string of the readers' role.</summary>
    internal static string AsReader(string connection) => new NpgsqlConnectionStringBuilder(connection) { Username = PostgreSqlServer.Reader }.ConnectionString;

    internal async Task<Work> ReadAsync()
    {
        await using var command = _source.CreateCommand(Sql);
        await using var row = await command.ExecuteReaderAsync();
        await row.ReadAsync();
        return new(row.GetDouble(0), row.GetDouble(1), row.GetDouble(2), (await _load.ReadAsync()).Cpu);
    }

    internal async Task RunAsync(string sql)
    {
        await using var command = _source.CreateCommand(sql);
        await command.ExecuteNonQueryAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _load.DisposeAsync();
        await _source.DisposeAsync();
        _server.Dispose();
    }
}
