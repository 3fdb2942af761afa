using Throttled.Journal.Database;

namespace Throttled.Journal.Relational;

/// <summary>Writes the mark beside a shard's journal.</summary>
/// <param name="dialect">How the server spells the statements.</param>
/// <param name="tables">The journal's tables.</param>
/// <param name="transaction">The transaction in which the mark is written.</param>
internal sealed class ShardMarkWriter(AdoDialect dialect, JournalTables tables, AdoTransaction transaction)
{
    private readonly ShardMarkSql _sql = new(dialect, tables);

    /// <exception cref="ShardMarkException">The events were written with another map.</exception>
    internal async Task WriteAsync(ShardIdentity identity, CancellationToken cancellation)
    {
        // If the mark exists, no right to create a table is needed.
        if (ShardMark.MustMark(await FoundAsync(cancellation).ConfigureAwait(false), identity, _sql.Journal, hasEvents: false))
            await WriteOnceAsync(identity, cancellation).ConfigureAwait(false);
    }

    /// <summary>Writes the mark without a check for events: the caller has checked them, and is the only writer.</summary>
    /// <exception cref="ShardMarkException">There is another mark.</exception>
    internal async Task MarkAsync(ShardIdentity identity, CancellationToken cancellation)
    {
        if (!ShardMark.MustMark(await FoundAsync(cancellation).ConfigureAwait(false), identity, _sql.Journal, hasEvents: false))
            return;
        await transaction.RunAsync(_sql.Create, cancellation).ConfigureAwait(false);
        await InsertAsync(identity, cancellation).ConfigureAwait(false);
    }

    /// <returns>The mark in the database; null for none.</returns>
    internal async Task<ShardMark?> FoundAsync(CancellationToken cancellation) =>
        await ExistsAsync(_sql.Table, cancellation).ConfigureAwait(false)
            ? await transaction.ReadAsync(_sql.Read, ShardMark.Of, cancellation, dialect.Of(tables.JournalTable)).ConfigureAwait(false)
            : null;

    // Another writer could mark and append between two reads, which would leave events without a mark. So both are read under the lock.
    private async Task WriteOnceAsync(ShardIdentity identity, CancellationToken cancellation)
    {
        await transaction.RunAsync(dialect.TakeTurns, cancellation).ConfigureAwait(false);
        // CREATE comes first. It also shows this session a table that another session created since the first read.
        await transaction.RunAsync(_sql.Create, cancellation).ConfigureAwait(false);
        var found = await FoundAsync(cancellation).ConfigureAwait(false);
        if (ShardMark.MustMark(found, identity, _sql.Journal, await HasEventsAsync(cancellation).ConfigureAwait(false)))
            await InsertAsync(identity, cancellation).ConfigureAwait(false);
    }

    private Task InsertAsync(ShardIdentity identity, CancellationToken cancellation) => transaction.RunAsync(
        _sql.Write, cancellation, dialect.Of(tables.JournalTable), dialect.Of(identity.Shard), dialect.Of(identity.Map.ToString()));

    private async Task<bool> HasEventsAsync(CancellationToken cancellation) =>
        await ExistsAsync(_sql.Journal, cancellation).ConfigureAwait(false)
        && await transaction.ReadAsync(_sql.AnyEvent, _ => true, cancellation).ConfigureAwait(false);

    private Task<bool> ExistsAsync(string table, CancellationToken cancellation) =>
        transaction.ReadAsync(dialect.IsThere, row => AdoDialect.IsTrue(row.GetValue(0)), cancellation, dialect.Of(table));
}
