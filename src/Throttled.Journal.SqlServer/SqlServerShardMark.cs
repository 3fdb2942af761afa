using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

/// <summary>Writes the mark beside a shard's journal.</summary>
/// <param name="tables">The journal's tables.</param>
/// <param name="transaction">The transaction in which the mark is written.</param>
internal sealed class SqlServerShardMark(JournalTables tables, SqlServerTransaction transaction)
{
    private readonly ShardMarkSql _sql = new(new SqlServerDialect(), tables);

    /// <exception cref="ShardMarkException">The events were written with another map.</exception>
    internal async Task WriteAsync(ShardIdentity identity, CancellationToken cancellation)
    {
        // If the mark exists, no right to create a table is needed.
        if (ShardMark.MustMark(await FoundAsync(cancellation).ConfigureAwait(false), identity, _sql.Journal, hasEvents: false))
            await WriteOnceAsync(identity, cancellation).ConfigureAwait(false);
    }

    /// <returns>The mark in the database; null for none.</returns>
    private async Task<ShardMark?> FoundAsync(CancellationToken cancellation) =>
        await ExistsAsync(_sql.Table, cancellation).ConfigureAwait(false)
            ? await transaction.ReadAsync(
                _sql.Read, row => new ShardMark(row.GetInt32(0), row.GetString(1)), cancellation, Of(tables.JournalTable)).ConfigureAwait(false)
            : null;

    // Another writer could mark and append between two reads, which would leave events without a mark. So both are read under
    // the lock.
    private async Task WriteOnceAsync(ShardIdentity identity, CancellationToken cancellation)
    {
        await transaction.RunAsync(SqlServerSchema.TakeTurns, cancellation).ConfigureAwait(false);
        await transaction.RunAsync(_sql.Create, cancellation).ConfigureAwait(false);
        var found = await FoundAsync(cancellation).ConfigureAwait(false);
        if (!ShardMark.MustMark(found, identity, _sql.Journal, await HasEventsAsync(cancellation).ConfigureAwait(false)))
            return;
        await InsertAsync(identity, cancellation).ConfigureAwait(false);
    }

    private Task InsertAsync(ShardIdentity identity, CancellationToken cancellation) => transaction.RunAsync(
        _sql.Write, cancellation, Of(tables.JournalTable), Of(identity.Shard), Of(identity.Map.ToString()));

    private async Task<bool> HasEventsAsync(CancellationToken cancellation) =>
        await ExistsAsync(_sql.Journal, cancellation).ConfigureAwait(false)
        && await transaction.ReadAsync(_sql.AnyEvent, _ => true, cancellation).ConfigureAwait(false);

    private Task<bool> ExistsAsync(string table, CancellationToken cancellation) =>
        transaction.ReadAsync(SqlServerCatalogSql.IsThere, row => row.GetInt32(0) == 1, cancellation, Of(table));
}
