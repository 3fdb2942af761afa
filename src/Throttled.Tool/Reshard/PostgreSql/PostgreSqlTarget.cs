using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Relational;

namespace Throttled.Tool.Reshard;

/// <summary>A database in the one transaction that makes it a shard.</summary>
internal sealed class PostgreSqlTarget : IShardTarget
{
    // For each column with a sequence, a statement that sets the sequence to the column's highest value.
    private const string Counters =
        "SELECT format('SELECT setval(%L, max(%I)) FROM %s HAVING max(%I) IS NOT NULL', pg_get_serial_sequence($1, attname), attname, $1, attname) "
        + "FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped AND pg_get_serial_sequence($1, attname) IS NOT NULL";

    private readonly MoveSession _session;
    private readonly NpgsqlTransaction _transaction;
    private readonly HashSet<MovedTable> _created = [];

    private PostgreSqlTarget(MoveSession session, NpgsqlTransaction transaction) => (_session, _transaction) = (session, transaction);

    internal static async Task<PostgreSqlTarget> OpenAsync(NpgsqlConnection connection, JournalTables tables, CancellationToken cancellation)
    {
        var session = new MoveSession(connection, tables);
        await session.SetUpAsync(cancellation);
        return new(session, await connection.BeginTransactionAsync(cancellation));
    }

    public Task<ShardMark?> ReadMarkAsync(CancellationToken cancellation) => _session.Mark.FoundAsync(cancellation);

    public Task<long> CountAsync(MovedTable table, CancellationToken cancellation) => _session.CountAsync(table, cancellation);

    public Task<long> LastIssuedAsync(CancellationToken cancellation) => _session.LastIssuedAsync(cancellation);

    public Task ScanAsync(TableShape shape, IRowSink rows, CancellationToken cancellation) => TableCopy.ScanAsync(_session, shape, rows, cancellation);

    public async Task MarkAsync(ShardIdentity identity, CancellationToken cancellation)
    {
        await CreateSchemaAsync(cancellation);
        await _session.Mark.MarkAsync(identity, cancellation);
    }

    public async Task CreateAsync(TableShape shape, CancellationToken cancellation)
    {
        if (await new Shapes(_session).ReadAsync(shape.Table, cancellation) is { } there)
        {
            Compare(shape, there);
            return;
        }
        await MakeAsync(shape, shape.Create, cancellation);
        _created.Add(shape.Table);
    }

    public async Task<IRowWriter> WriteAsync(TableShape shape, CancellationToken cancellation) => await CopyIn.BeginAsync(
        await _session.Connection.BeginRawBinaryCopyAsync(TableCopy.In(_session, shape), cancellation), cancellation);

    public async Task CompleteAsync(IReadOnlyList<TableShape> shapes, long lastIssued, CancellationToken cancellation)
    {
        foreach (var shape in shapes.Where(shape => _created.Contains(shape.Table)))
            await MakeAsync(shape, shape.Complete, cancellation);
        foreach (var shape in shapes)
            await CountOnAsync(shape, cancellation);
        var sequence = await _session.SequenceAsync(cancellation) ?? throw new ReshardException(
            $"The column {_session.Tables.OrderingColumn} of {_session.Journal} is not drawn from a sequence in the new database. "
            + "Drop the table and start again; the copy creates it.");
        await _session.RunAsync(FormattableString.Invariant($"ALTER SEQUENCE {sequence} RESTART WITH {lastIssued + 1}"), cancellation);
        // The server analyses a new table by itself, but perhaps not before the application starts.
        foreach (var shape in shapes)
            await _session.RunAsync($"ANALYZE {_session.Quoted(shape.Table)}", cancellation);
    }

    public Task CommitAsync(CancellationToken cancellation) => _transaction.CommitAsync(cancellation);

    public async ValueTask DisposeAsync()
    {
        await _transaction.DisposeAsync();
        await _session.DisposeAsync();
    }

    // Copied rows draw no numbers, so without this a new row would get the number of a copied one.
    private async Task CountOnAsync(TableShape shape, CancellationToken cancellation)
    {
        var counters = await _session.AllAsync(Counters, row => row.GetString(0), cancellation, PostgreSqlParameters.Of(_session.Quoted(shape.Table)));
        foreach (var sql in counters)
            await _session.RunAsync(sql, cancellation);
    }

    // A user who may not create a schema may use an existing one.
    private async Task CreateSchemaAsync(CancellationToken cancellation)
    {
        if (_session.Tables.Schema is not { } schema)
            return;
        var exists = await _session.ReadAsync(
            "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", row => row.GetBoolean(0), cancellation,
            PostgreSqlParameters.Of(schema));
        if (!exists)
            await _session.RunAsync($"CREATE SCHEMA {_session.Quote(schema)}", cancellation);
    }

    private async Task MakeAsync(TableShape shape, IEnumerable<string> statements, CancellationToken cancellation)
    {
        foreach (var sql in statements)
        {
            try
            {
                await _session.RunAsync(sql, cancellation);
            }
            catch (PostgresException error)
            {
                throw new ReshardException(
                    $"The table {_session.Quoted(shape.Table)} cannot be created as it is in the old database: {error.MessageText} (at: {sql}). "
                    + "Create what is missing in the new database, or create the empty table yourself, and start again.", error);
            }
        }
    }

    private void Compare(TableShape wanted, TableShape there)
    {
        var types = there.Columns.ToDictionary(column => column.Name, column => column.Type, StringComparer.Ordinal);
        var differing = wanted.Columns
            .Where(column => types.GetValueOrDefault(column.Name) != column.Type)
            .Select(column => $"{column.Name} is {types.GetValueOrDefault(column.Name, "not there")} and not {column.Type}")
            .ToList();
        if (differing.Count > 0)
            throw new ReshardException(
                $"The empty table {_session.Quoted(wanted.Table)} of the new database differs from the old one: {string.Join("; ", differing)}. Drop it and start again; the copy creates it.");
    }
}
