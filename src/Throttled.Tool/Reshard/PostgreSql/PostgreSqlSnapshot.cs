using Npgsql;
using Throttled.Journal.Relational;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Tool.Reshard;

/// <summary>A database at one moment: one read-only transaction, which sees what was committed when it began.</summary>
internal sealed class PostgreSqlSnapshot : IShardSnapshot
{
    // A transaction that has inserted, updated or deleted, and has not ended. Its process is NULL if it is a prepared transaction.
    private const string Writers =
        "SELECT coalesce('process ' || l.pid || coalesce(' (' || nullif(a.application_name, '') || ')', ''), 'a prepared transaction') "
        + "FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' "
        + "AND l.relation = to_regclass($1) AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
        + "AND l.pid IS DISTINCT FROM pg_backend_pid() LIMIT 1";

    // Every user may see these columns. Workers of the server have no user. The tool's own connections have its application name.
    // https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-ACTIVITY-VIEW
    private const string Connected =
        "SELECT coalesce(nullif(application_name, ''), 'one without a name'), count(*) FROM pg_stat_activity WHERE datname = current_database() "
        + "AND usesysid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend' AND pid <> pg_backend_pid() "
        + "AND application_name <> current_setting('application_name') GROUP BY 1 ORDER BY 2 DESC, 1";

    // A transaction that was open when the snapshot began has this number or a higher one; so has its subtransaction. The list
    // of open transactions does not name subtransactions.
    // https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SNAPSHOT
    private const string LowestTransaction = "SELECT txid_snapshot_xmin(txid_current_snapshot())";

    private readonly MoveSession _session;
    private readonly NpgsqlTransaction _transaction;
    private readonly MovedTable _journal;
    private Seen _begin = new(0, 0, "");
    private long _lowestTransaction;

    private PostgreSqlSnapshot(MoveSession session, NpgsqlTransaction transaction)
    {
        (_session, _transaction) = (session, transaction);
        _journal = new MovedTables(session.Tables, "").Journal;
    }

    internal static async Task<PostgreSqlSnapshot> OpenAsync(NpgsqlConnection connection, JournalTables tables, CancellationToken cancellation)
    {
        var session = new MoveSession(connection, tables);
        await session.SetUpAsync(cancellation);
        var transaction = await connection.BeginTransactionAsync(System.Data.IsolationLevel.RepeatableRead, cancellation);
        await session.RunAsync("SET TRANSACTION READ ONLY", cancellation);
        var snapshot = new PostgreSqlSnapshot(session, transaction);
        await snapshot.BeginAsync(cancellation);
        return snapshot;
    }

    public Task<ShardMark?> ReadMarkAsync(CancellationToken cancellation) => _session.Mark.FoundAsync(cancellation);

    public Task<long> CountAsync(MovedTable table, CancellationToken cancellation) =>
        table == _journal ? Task.FromResult(_begin.Rows) : _session.CountAsync(table, cancellation);

    // The value at the beginning of the snapshot, not the value now.
    public Task<long> LastIssuedAsync(CancellationToken cancellation) => Task.FromResult(_begin.Last);

    public Task<TableShape?> ShapeAsync(MovedTable table, CancellationToken cancellation) => new Shapes(_session).ReadAsync(table, cancellation);

    public Task ScanAsync(TableShape shape, IRowSink rows, CancellationToken cancellation) => TableCopy.ScanAsync(_session, shape, rows, cancellation);

    public async Task<IReadOnlyList<OtherConnections>> ConnectedAsync(CancellationToken cancellation) => await _session.AllAsync(
        Connected, row => new OtherConnections(row.GetString(0), row.GetInt64(1)), cancellation);

    public async Task<string?> ChangeAsync(CancellationToken cancellation)
    {
        await _transaction.CommitAsync(cancellation);
        if (await WriterAsync(cancellation) is { } writer)
            return $"{writer} has a transaction open that writes to {_session.Journal}";
        var seen = await ObserveAsync(cancellation);
        return seen.Last != _begin.Last ? FormattableString.Invariant($"its last ordering was {_begin.Last} and is {seen.Last}")
            : seen.Rows != _begin.Rows ? FormattableString.Invariant($"it had {_begin.Rows} rows and has {seen.Rows}")
            : seen.Written != _begin.Written ? "some of its rows were updated"
            : null;
    }

    public async ValueTask DisposeAsync()
    {
        await _transaction.DisposeAsync();
        await _session.DisposeAsync();
    }

    private async Task BeginAsync(CancellationToken cancellation)
    {
        // The first statement fixes the moment of the snapshot. It comes before the long count, in which an open transaction may end.
        _lowestTransaction = await _session.ReadAsync(LowestTransaction, row => row.GetInt64(0), cancellation);
        if (await WriterAsync(cancellation) is { } writer)
            throw new ReshardException($"{writer} has a transaction open that writes to {_session.Journal}. Stop whatever writes to the journal, and start again.");
        _begin = await ObserveAsync(cancellation);
    }

    private async Task<Seen> ObserveAsync(CancellationToken cancellation)
    {
        var last = await _session.LastIssuedAsync(cancellation);
        return await _session.CountAsync(_journal, cancellation) is > 0 and var rows
            ? new(last, rows, await WrittenAsync(cancellation))
            : new(last, 0, "");
    }

    // Marking events as deleted does not change the number of rows. A row's xmin has the low half of the transaction that wrote
    // it: https://www.postgresql.org/docs/current/ddl-system-columns.html
    private async Task<string> WrittenAsync(CancellationToken cancellation) => (await _session.ReadAsync(
        FormattableString.Invariant($"SELECT count(*)::text || ' ' || coalesce(sum(hashtext({_session.Quote(_session.Tables.OrderingColumn)} || ':' || xmin::text)), 0) FROM {_session.Journal} ")
        + FormattableString.Invariant($"WHERE (xmin::text::bigint - {_lowestTransaction} % 4294967296 + 4294967296) % 4294967296 < 2147483648"),
        row => row.GetString(0), cancellation))!;

    private Task<string?> WriterAsync(CancellationToken cancellation) =>
        _session.ReadAsync(Writers, row => row.GetString(0), cancellation, Of(_session.Journal));

    /// <summary>
    /// The last ordering that the journal had issued at a moment, and its rows. <c>Written</c> is a sum that each write changes. It covers rows of
    /// transactions that were open at the first moment, or began later.
    /// </summary>
    private sealed record Seen(long Last, long Rows, string Written);
}
