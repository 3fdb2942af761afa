using Throttled.Journal.Relational;
using Throttled.Journal.Sqlite;

namespace Throttled.Tool.Reshard;

/// <summary>A file at one moment: one read-only transaction.</summary>
internal sealed class SqliteSnapshot : IShardSnapshot
{
    private readonly SqliteSession _session;
    private readonly SqliteTables _seen;
    private readonly JournalTables _tables;
    private readonly string _file;
    private readonly long _version;

    internal SqliteSnapshot(SqliteSource source, JournalTables tables)
    {
        (_session, _tables) = (SqliteSession.Open(source), tables);
        _seen = new(tables, _session.Statement);
        _file = Path.GetFileName(source.File ?? source.Name);
        _session.Statement("BEGIN").Run();
        _version = Version();
    }

    public Task<ShardMark?> ReadMarkAsync(CancellationToken cancellation) => Task.FromResult(new SqliteShardMark(_tables, _session.Statement).Found());

    public Task<long> CountAsync(MovedTable table, CancellationToken cancellation) => Task.FromResult(_seen.Count(table));

    public Task<long> LastIssuedAsync(CancellationToken cancellation) => Task.FromResult(_seen.LastIssued());

    public Task<TableShape?> ShapeAsync(MovedTable table, CancellationToken cancellation) => Task.FromResult(_seen.Shape(table));

    public Task ScanAsync(TableShape shape, IRowSink rows, CancellationToken cancellation) => _seen.ScanAsync(shape, rows, cancellation);

    // SQLite does not show which processes have a file open.
    public Task<IReadOnlyList<OtherConnections>> ConnectedAsync(CancellationToken cancellation) => Task.FromResult<IReadOnlyList<OtherConnections>>([]);

    public Task<string?> ChangeAsync(CancellationToken cancellation)
    {
        _session.Statement("COMMIT").Run();
        return Task.FromResult(Version() == _version ? null : $"another connection has committed to '{_file}'");
    }

    public ValueTask DisposeAsync()
    {
        _session.Dispose();
        return default;
    }

    // Changes for this connection when another one has committed: https://www.sqlite.org/pragma.html#pragma_data_version
    private long Version()
    {
        // The version is that of the transaction's moment, which its first read fixes.
        _session.Statement("SELECT 1 FROM sqlite_schema LIMIT 1").Run();
        return _session.Statement("PRAGMA data_version").First(row => row.Integer(0));
    }
}
