using System.Data;
using System.Data.Common;
using Npgsql;
using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>Appends through one connection with COPY; each call is one transaction.</summary>
internal sealed class PostgreSqlAppender(PostgreSqlSource source, JournalTables tables, TimeProvider clock) : JournalAppender
{
    private readonly PostgreSqlSchema _schema = new(tables);
    private readonly PostgreSqlEventCopy _copy = new(tables);
    private readonly EventValidation _validation = new(tables);
    private readonly SingleCall _call = new("An appender");
    private NpgsqlConnection? _connection;

    public override Task CreateAsync(CancellationToken cancellationToken = default) =>
        _call.OneAtATimeAsync(() => InTransactionAsync(connection => CreateTablesAsync(connection, cancellationToken), cancellationToken));

    public override async Task AppendAsync(IReadOnlyCollection<JournalEvent> events, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(events);
        _validation.Check(events);
        if (events.Count > 0)
            await _call.OneAtATimeAsync(() => InTransactionAsync(connection => AppendAsync(connection, events, cancellationToken), cancellationToken)).ConfigureAwait(false);
    }

    internal override void Check(IEnumerable<JournalEvent> events) => _validation.Check(events);

    internal override Task MarkAsync(ShardIdentity identity, CancellationToken cancellation) => _call.OneAtATimeAsync(() => InTransactionAsync(
        connection => new ShardMarkWriter(new PostgreSqlDialect(), tables, new PostgreSqlTransaction(connection)).WriteAsync(identity, cancellation), cancellation));

    public override async ValueTask DisposeAsync()
    {
        if (_connection is { } connection)
            await connection.DisposeAsync().ConfigureAwait(false);
        await source.DisposeAsync().ConfigureAwait(false);
    }

    private async Task CreateTablesAsync(NpgsqlConnection connection, CancellationToken cancellation)
    {
        var transaction = new PostgreSqlTransaction(connection);
        foreach (var sql in _schema.Create())
            await transaction.RunAsync(sql, cancellation).ConfigureAwait(false);
    }

    private async Task InTransactionAsync(Func<NpgsqlConnection, Task> write, CancellationToken cancellation)
    {
        try
        {
            await InOneAsync(write, cancellation).ConfigureAwait(false);
        }
        catch when (_connection is not null)
        {
            // The server may have refused the rollback. The connection would then stay in that transaction.
            await _connection.DisposeAsync().ConfigureAwait(false);
            _connection = null;
            throw;
        }
    }

    private async Task InOneAsync(Func<NpgsqlConnection, Task> write, CancellationToken cancellation)
    {
        var connection = await OpenAsync(cancellation).ConfigureAwait(false);
        var transaction = await connection.BeginTransactionAsync(cancellation).ConfigureAwait(false);
        await using var ending = transaction.ConfigureAwait(false);
        await write(connection).ConfigureAwait(false);
        // No token: a late cancel would report that nothing was appended, although the server has committed.
        await transaction.CommitAsync(CancellationToken.None).ConfigureAwait(false);
    }

    private async Task AppendAsync(NpgsqlConnection connection, IReadOnlyCollection<JournalEvent> events, CancellationToken cancellation)
    {
        var now = clock.GetUtcNow().UtcTicks;
        // The tag rows contain the ordering, so it must be known before the event is written.
        long[]? orderings = tables.TagMode == TagMode.TagTable && events.Any(each => each.Tags.Count > 0)
            ? await DrawAsync(connection, events.Count, cancellation).ConfigureAwait(false)
            : null;
        var import = await connection.BeginBinaryImportAsync(_schema.CopyEvents(orderings is not null), cancellation).ConfigureAwait(false);
        await using (import.ConfigureAwait(false))
            await _copy.WriteEventsAsync(import, events, orderings, now, cancellation).ConfigureAwait(false);
        if (orderings is null)
            return;
        import = await connection.BeginBinaryImportAsync(_schema.CopyTags(), cancellation).ConfigureAwait(false);
        await using (import.ConfigureAwait(false))
            await PostgreSqlEventCopy.WriteTagsAsync(import, events, orderings, cancellation).ConfigureAwait(false);
    }

    private async Task<long[]> DrawAsync(NpgsqlConnection connection, int count, CancellationToken cancellation)
    {
        var command = new NpgsqlCommand(PostgreSqlSchema.DrawOrderings, connection);
        await using var closing = command.ConfigureAwait(false);
        command.Parameters.Add(new NpgsqlParameter<string> { TypedValue = _schema.Journal });
        command.Parameters.Add(new NpgsqlParameter<string> { TypedValue = tables.OrderingColumn });
        command.Parameters.Add(new NpgsqlParameter<int> { TypedValue = count });
        var reader = await command.ExecuteReaderAsync(cancellation).ConfigureAwait(false);
        await using var draining = reader.ConfigureAwait(false);
        var orderings = new long[count];
        for (var i = 0; await reader.ReadAsync(cancellation).ConfigureAwait(false); i++)
            orderings[i] = reader.IsDBNull(0) ? throw NoSequence() : reader.GetInt64(0);
        return orderings;
    }

    private InvalidOperationException NoSequence() => new(
        $"'OrderingColumn' is {tables.OrderingColumn}, which is not drawn from one sequence in {_schema.Journal}; it must be an identity or "
        + "serial column, or have nextval of one sequence as its default.");

    private async ValueTask<NpgsqlConnection> OpenAsync(CancellationToken cancellation)
    {
        if (_connection is { FullState: ConnectionState.Open } open)
            return open;
        if (_connection is { } broken)
            await broken.DisposeAsync().ConfigureAwait(false);
        return _connection = await source.OpenAsync(cancellation).ConfigureAwait(false);
    }
}

/// <summary>The statements of a connection, in its transaction if it has begun one.</summary>
internal sealed class PostgreSqlTransaction(NpgsqlConnection connection) : AdoTransaction
{
    protected override DbCommand Command(string sql, DbParameter[] parameters)
    {
        var command = new NpgsqlCommand(sql, connection);
        command.Parameters.AddRange(parameters);
        return command;
    }
}
