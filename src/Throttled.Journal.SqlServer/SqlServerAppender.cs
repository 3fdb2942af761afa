using System.Data;
using Microsoft.Data.SqlClient;
using Throttled.Journal.Relational;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

/// <summary>Appends through one connection with bulk copies; each call is one transaction.</summary>
internal sealed class SqlServerAppender(SqlServerSource source, JournalTables tables, TimeProvider clock) : JournalAppender
{
    private readonly SqlServerSchema _schema = new(tables);
    private readonly SqlServerStaging _staging = new(tables);
    private readonly EventValidation _validation = new(tables);
    private readonly SingleCall _call = new("An appender");

    // One id per writer, as Akka.Persistence.Sql gives one to each start of its write journal.
    private readonly string _writer = Guid.NewGuid().ToString("N");

    private SqlConnection? _connection;
    private bool _isStaged;

    public override Task CreateAsync(CancellationToken cancellationToken = default) =>
        _call.OneAtATimeAsync(() => InTransactionAsync(transaction => CreateTablesAsync(transaction, cancellationToken), cancellationToken));

    public override async Task AppendAsync(IReadOnlyCollection<JournalEvent> events, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(events);
        _validation.Check(events);
        if (events.Count > 0)
            await _call.OneAtATimeAsync(() => InTransactionAsync(transaction => AppendAsync(transaction, events, cancellationToken), cancellationToken)).ConfigureAwait(false);
    }

    internal override void Check(IEnumerable<JournalEvent> events) => _validation.Check(events);

    internal override Task MarkAsync(ShardIdentity identity, CancellationToken cancellation) => _call.OneAtATimeAsync(() => InTransactionAsync(
        transaction => new ShardMarkWriter(new SqlServerDialect(), tables, transaction).WriteAsync(identity, cancellation), cancellation));

    public override ValueTask DisposeAsync() => CloseAsync();

    private async Task CreateTablesAsync(SqlServerTransaction transaction, CancellationToken cancellation)
    {
        foreach (var sql in _schema.Create())
            await transaction.RunAsync(sql, cancellation).ConfigureAwait(false);
    }

    private async Task AppendAsync(SqlServerTransaction transaction, IReadOnlyCollection<JournalEvent> events, CancellationToken cancellation)
    {
        await StageAsync(transaction, cancellation).ConfigureAwait(false);
        var now = clock.GetUtcNow().UtcTicks;
        await transaction.CopyAsync(SqlServerStaging.Events, new EventRows(events, tables, now), cancellation).ConfigureAwait(false);
        var hasTags = tables.TagMode == TagMode.TagTable && events.Any(each => each.Tags.Count > 0);
        if (hasTags)
            await transaction.CopyAsync(SqlServerStaging.Tags, new TagRows(events), cancellation).ConfigureAwait(false);
        var move = hasTags ? _staging.MoveEventsAndTags() : _staging.MoveEvents();
        await transaction.RunBulkAsync(move, cancellation, Of(_writer)).ConfigureAwait(false);
    }

    // A rollback closes the connection, so the temporary tables exist until then.
    private async Task StageAsync(SqlServerTransaction transaction, CancellationToken cancellation)
    {
        if (_isStaged)
            return;
        var isIdentity = await transaction.ReadAsync<bool?>(
            SqlServerStaging.IsIdentity, row => row.GetBoolean(0), cancellation, Of(_schema.Journal), Of(tables.OrderingColumn)).ConfigureAwait(false);
        // If the column or the table is missing, the server's own error says it better.
        if (isIdentity == false)
            throw NoIdentity();
        await transaction.RunAsync(SqlServerStaging.Create, cancellation).ConfigureAwait(false);
        _isStaged = true;
    }

    private InvalidOperationException NoIdentity() => new(
        $"'OrderingColumn' is {tables.OrderingColumn}, which is not an identity column of {_schema.Journal}; it must be one. SQL Server cannot "
        + "change the column to an identity: copy the events to a table that has it as BIGINT IDENTITY.");

    private async Task InTransactionAsync(Func<SqlServerTransaction, Task> write, CancellationToken cancellation)
    {
        var connection = await OpenAsync(cancellation).ConfigureAwait(false);
        try
        {
            var transaction = await SqlServerTransaction.BeginAsync(connection, cancellation).ConfigureAwait(false);
            await using var ending = transaction.ConfigureAwait(false);
            await WriteAsync(write, transaction, cancellation).ConfigureAwait(false);
            await transaction.CommitAsync().ConfigureAwait(false);
        }
        catch
        {
            // The temporary tables may be gone, or a copy that stopped in the middle may have left rows in them.
            await CloseAsync().ConfigureAwait(false);
            throw;
        }
    }

    // The driver reports a cancellation with an error of the server.
    private static async Task WriteAsync(Func<SqlServerTransaction, Task> write, SqlServerTransaction transaction, CancellationToken cancellation)
    {
        try
        {
            await write(transaction).ConfigureAwait(false);
        }
        catch (SqlException error) when (cancellation.IsCancellationRequested)
        {
            throw new OperationCanceledException(error.Message, error, cancellation);
        }
    }

    private async ValueTask<SqlConnection> OpenAsync(CancellationToken cancellation)
    {
        if (_connection is { State: ConnectionState.Open } open)
            return open;
        await CloseAsync().ConfigureAwait(false);
        return _connection = await source.OpenAsync(cancellation).ConfigureAwait(false);
    }

    private async ValueTask CloseAsync()
    {
        _isStaged = false;
        if (_connection is { } connection)
            await connection.DisposeAsync().ConfigureAwait(false);
        _connection = null;
    }
}
