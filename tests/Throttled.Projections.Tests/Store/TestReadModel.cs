using System.Data.Common;
using System.Globalization;
using Microsoft.Data.SqlClient;
using Microsoft.Data.Sqlite;
using Npgsql;
using SQLitePCL;
using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

/// <summary>The database of one test: a SQLite file, a schema on the PostgreSQL server that all tests share, or a database on a SQL Server.</summary>
internal sealed class TestReadModel : IAsyncDisposable
{
    private static readonly Lazy<PostgreSqlServer> LazyServer = new(() => PostgreSqlServer.Start());
    private static int _schemas;

    private readonly string _connectionString;
    private readonly DirectoryInfo? _directory;
    private readonly SqlServerReadModel? _sqlServer;
    private readonly List<DbDataSource> _sources = [];

    static TestReadModel() => Batteries_V2.Init();

    private TestReadModel(string connectionString, DirectoryInfo? directory = null, SqlServerReadModel? sqlServer = null)
    {
        (_connectionString, _directory, _sqlServer) = (connectionString, directory, sqlServer);
        ReadModel = OfAnotherProcess();
        Store = new ProjectionStore(ReadModel);
    }

    internal static PostgreSqlServer Server => LazyServer.Value;

    internal bool IsSqlite => _directory is not null;

    internal bool IsSqlServer => _sqlServer is not null;

    internal ReadModelDialect Dialect => ReadModel.Dialect;

    internal ReadModelDatabase ReadModel { get; }

    internal IProjectionStore Store { get; }

    /// <summary>A read model with the tables of projections.</summary>
    internal static async Task<TestReadModel> CreateAsync(string database)
    {
        var readModel = await AbsentAsync(database);
        await readModel.Store.CreateTablesAsync(default);
        return readModel;
    }

    /// <summary>A read model without tables.</summary>
    internal static async Task<TestReadModel> AbsentAsync(string database)
    {
        if (database == OnSqliteAttribute.Name)
        {
            var directory = Directory.CreateTempSubdirectory("throttled-read-model-");
            return new($"Data Source={Path.Combine(directory.FullName, "read-model.db")}", directory);
        }
        if (database == OnSqlServerAttribute.Name)
        {
            var sqlServer = await SqlServerReadModel.CreateAsync();
            return new(sqlServer.ConnectionString, sqlServer: sqlServer);
        }
        var schema = $"s{Interlocked.Increment(ref _schemas)}";
        var readModel = new TestReadModel($"{Server.ConnectionString()};Search Path={schema}");
        await readModel.ExecuteAsync($"CREATE SCHEMA {schema}");
        return readModel;
    }

    /// <summary>The same database as another process opens it.</summary>
    /// <param name="settings">Added to the connection string; they win.</param>
    internal ReadModelDatabase OfAnotherProcess(string settings = "")
    {
        var connectionString = $"{_connectionString};{settings}";
        DbDataSource source = IsSqlite ? SqliteFactory.Instance.CreateDataSource(connectionString)
            : IsSqlServer ? SqlClientFactory.Instance.CreateDataSource(connectionString)
            : NpgsqlDataSource.Create(connectionString);
        _sources.Add(source);
        return IsSqlite ? ReadModelDatabase.Sqlite(source)
            : IsSqlServer ? ReadModelDatabase.SqlServer(source)
            : ReadModelDatabase.PostgreSql(source);
    }

    /// <summary>Creates a version of the projection <c>accounts</c> over all slices.</summary>
    internal async Task<VersionRow> VersionAsync(string version = "accounts", int lanes = 2, VersionRole role = VersionRole.Live)
    {
        await Store.CreateVersionAsync(Row(version, lanes, role), SliceRange.All, Nothing, null, default);
        return await ReadVersionAsync(version);
    }

    internal static VersionRow Row(string version = "accounts", int lanes = 2, VersionRole role = VersionRole.Live) =>
        new(version, "accounts", role, "all", lanes, 1, false, 0);

    /// <summary>The place behind an ordering of a journal that is not sharded.</summary>
    internal static JournalPoint To(long ordering) => new([new(SliceRange.All, ordering, 0)], ShardMap.Even(1));

    internal static Task Nothing(ReadModelScope scope, CancellationToken cancellation) => Task.CompletedTask;

    internal Task<ProjectionSnapshot> ReadAsync() => Store.ReadAsync("accounts", 100, default);

    internal async Task<VersionRow> ReadVersionAsync(string version = "accounts") =>
        (await ReadAsync()).Versions.Single(row => row.Version == version);

    internal Task<LaneCheckpoint> ReadLaneAsync(int first = 0, int last = 511, string version = "accounts") =>
        Store.ReadLaneAsync(version, new(first, last), default);

    /// <summary>Moves a lane, and commits.</summary>
    internal async Task MoveAsync(OffsetMove move, long epoch = 1, string version = "accounts")
    {
        await using var transaction = await Store.BeginAsync(version, epoch, default);
        await transaction.MoveAsync(move);
        await transaction.CommitAsync();
    }

    /// <summary>Moves the lane of some slices from its current offset.</summary>
    internal async Task MoveToAsync(long ordering, int first = 0, int last = 511, string version = "accounts", long timestamp = 0, int events = 1)
    {
        var lane = await ReadLaneAsync(first, last, version);
        await MoveAsync(new LaneOffsets(lane.Offsets).MoveTo(ordering, timestamp, events), lane.Epoch, version);
    }

    /// <summary>Stores a command.</summary>
    internal async Task<CommandRow> CommandAsync(CommandVerb verb, string version = "accounts")
    {
        await ExecuteAsync(
            "INSERT INTO throttled_projection_command (projection, version, verb, state, created_at) "
            + $"VALUES ('accounts', '{version}', '{verb}', 'Waiting', {Dialect.Now})");
        return (await ReadAsync()).Commands.MaxBy(command => command.Id)!;
    }

    internal async Task ExecuteAsync(string sql)
    {
        await using var command = ReadModel.Source.CreateCommand(sql);
        await command.ExecuteNonQueryAsync();
    }

    /// <summary>The rows of a query, with <c>|</c> between the columns.</summary>
    internal async Task<List<string>> RowsAsync(string sql)
    {
        await using var command = ReadModel.Source.CreateCommand(sql);
        await using var row = await command.ExecuteReaderAsync();
        List<string> rows = [];
        while (await row.ReadAsync())
            rows.Add(string.Join('|', Enumerable.Range(0, row.FieldCount).Select(column => Convert.ToString(row.GetValue(column), CultureInfo.InvariantCulture))));
        return rows;
    }

    internal async Task<object?> ScalarAsync(string sql)
    {
        await using var command = ReadModel.Source.CreateCommand(sql);
        return await command.ExecuteScalarAsync();
    }

    internal async Task<long> CountAsync(string from) => Convert.ToInt64(await ScalarAsync($"SELECT count(*) FROM {from}"));

    /// <summary>The number of sessions of the server that wait for a lock in this schema.</summary>
    internal Task<long> WaitingForLocksAsync() => CountAsync(IsSqlServer
        ? SqlServerReadModel.WaitingForLocks
        : "pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%throttled_projection%' "
        + "AND pid IN (SELECT l.pid FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE c.relnamespace = current_schema()::regnamespace)");

    public async ValueTask DisposeAsync()
    {
        foreach (var source in _sources)
            await source.DisposeAsync();
        if (_sqlServer is not null)
            await _sqlServer.DropAsync();
        if (_directory is null)
            return;
        await using (var connection = new SqliteConnection(_connectionString))
            SqliteConnection.ClearPool(connection);
        _directory.Delete(recursive: true);
    }
}
