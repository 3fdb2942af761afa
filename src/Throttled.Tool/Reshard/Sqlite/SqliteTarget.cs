using Microsoft.Data.Sqlite;
using SQLitePCL;
using Throttled.Journal.Relational;
using Throttled.Journal.Sqlite;
using Batteries = Throttled.Journal.Sqlite.Batteries;

namespace Throttled.Tool.Reshard;

/// <summary>A file in the one transaction that makes it a shard.</summary>
internal sealed class SqliteTarget : IShardTarget
{
    private readonly SqliteConnection _connection;
    private readonly JournalTables _tables;
    private readonly SqliteTables _seen;
    private readonly TextMemo _memo = new();
    private readonly Dictionary<string, PreparedStatement> _statements = [];
    private readonly HashSet<MovedTable> _created = [];

    private SqliteTarget(SqliteConnection connection, JournalTables tables)
    {
        (_connection, _tables) = (connection, tables);
        _seen = new(tables, Statement);
    }

    internal static SqliteTarget Open(SqliteSource source, JournalTables tables)
    {
        Batteries.Load();
        var connection = new SqliteConnection(source.ForWriting);
        try
        {
            connection.Open();
            var target = new SqliteTarget(connection, tables);
            target.SetUp((int)source.BusyTimeout.TotalMilliseconds);
            return target;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    public Task<ShardMark?> ReadMarkAsync(CancellationToken cancellation) => Task.FromResult(new SqliteShardMark(_tables, Statement).Found());

    public Task<long> CountAsync(MovedTable table, CancellationToken cancellation) => Task.FromResult(_seen.Count(table));

    public Task<long> LastIssuedAsync(CancellationToken cancellation) => Task.FromResult(_seen.LastIssued());

    public Task ScanAsync(TableShape shape, IRowSink rows, CancellationToken cancellation) => _seen.ScanAsync(shape, rows, cancellation);

    public Task MarkAsync(ShardIdentity identity, CancellationToken cancellation)
    {
        new SqliteShardMark(_tables, Statement).Mark(identity);
        return Task.CompletedTask;
    }

    public Task CreateAsync(TableShape shape, CancellationToken cancellation)
    {
        if (_seen.Sql(shape.Table) is { } sql)
            Compare(shape, sql);
        else if (shape.Refusal is { } refusal)
            throw new ReshardException(
                $"The table '{shape.Table.Name}' cannot be created as it is in the old database: {refusal}. "
                + "Create the empty table in the new databases, with AUTOINCREMENT, and start again.");
        else
            Make(shape);
        return Task.CompletedTask;
    }

    public Task<IRowWriter> WriteAsync(TableShape shape, CancellationToken cancellation) =>
        Task.FromResult<IRowWriter>(new SqliteRowWriter(Statement(Insert(shape)), shape.Columns.Count));

    public Task CompleteAsync(IReadOnlyList<TableShape> shapes, long lastIssued, CancellationToken cancellation)
    {
        foreach (var sql in shapes.Where(shape => _created.Contains(shape.Table)).SelectMany(shape => shape.Complete))
            Statement(sql).Run();
        // sqlite_sequence has the table's name as it was created: https://www.sqlite.org/fileformat2.html#seqtab
        var name = Statement("SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE")
            .Bind(1, _tables.JournalTable).First(row => row.Text(0));
        Statement("DELETE FROM sqlite_sequence WHERE name = ?1 COLLATE NOCASE").Bind(1, name!).Run();
        Statement("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)").Bind(1, name!).Bind(2, lastIssued).Run();
        return Task.CompletedTask;
    }

    public Task CommitAsync(CancellationToken cancellation)
    {
        Statement("COMMIT").Run();
        // The same mode as after CreateAsync of an appender, in which readers do not block the writer.
        Statement("PRAGMA journal_mode = WAL").Run();
        return Task.CompletedTask;
    }

    public ValueTask DisposeAsync()
    {
        foreach (var statement in _statements.Values)
            statement.Dispose();
        // Rolls back what was not committed.
        return _connection.DisposeAsync();
    }

    private void SetUp(int busyMilliseconds)
    {
        _ = raw.sqlite3_busy_timeout(_connection.Handle!, busyMilliseconds);
        // The copy writes to all parts of the index of persistence ids, so it needs a large cache.
        Statement("PRAGMA cache_size = -65536").Run();
        Statement("BEGIN IMMEDIATE").Run();
    }

    private void Make(TableShape shape)
    {
        foreach (var sql in shape.Create)
            Statement(sql).Run();
        _created.Add(shape.Table);
    }

    private void Compare(TableShape wanted, string sql)
    {
        var there = _seen.Shape(wanted.Table)!;
        var missing = wanted.Columns.Where(column => !there.Has(column.Name)).Select(column => $"'{column.Name}'").ToList();
        if (missing.Count > 0)
            throw new ReshardException(
                $"The empty table '{wanted.Table.Name}' of the new database has no column {string.Join(", ", missing)}. Drop it and start again; the copy creates it.");
        if (wanted.Table.TextKey is null && !SqliteTableSql.HasAutoIncrement(sql))
            throw new ReshardException(
                $"The empty table '{wanted.Table.Name}' of the new database has no AUTOINCREMENT, and would issue orderings again. Drop it and start again; the copy creates it.");
    }

    private static string Insert(TableShape shape)
    {
        var dialect = new SqliteDialect();
        return $"INSERT INTO {dialect.Quote(shape.Table.Name)} ({string.Join(", ", shape.Columns.Select(column => dialect.Quote(column.Name)))}) "
            + $"VALUES ({string.Join(", ", shape.Columns.Select((_, i) => dialect.Parameter(i + 1)))})";
    }

    private PreparedStatement Statement(string sql)
    {
        if (!_statements.TryGetValue(sql, out var statement))
            _statements[sql] = statement = new(_connection.Handle!, sql, _memo);
        return statement;
    }
}
