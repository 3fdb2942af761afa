using Throttled.Journal.Sharding;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

/// <summary>Writes the mark that stands beside a shard's journal.</summary>
/// <param name="tables">The journal's tables.</param>
/// <param name="transaction">In which it is written.</param>
internal sealed class SqlServerStamp(JournalTables tables, SqlServerTransaction transaction)
{
    private readonly StampStatements _statements = new(new SqlServerDialect(), tables);

    /// <exception cref="ShardStampException">The events were written with another map.</exception>
    internal async Task WriteAsync(ShardPlace place, CancellationToken cancellation)
    {
        // Who finds it written needs no right to create.
        if (ShardStamp.MustStamp(await FoundAsync(cancellation).ConfigureAwait(false), place, _statements.Journal, hasEvents: false))
            await WriteOnceAsync(place, cancellation).ConfigureAwait(false);
    }

    /// <summary>What stands there; null for nothing.</summary>
    private async Task<ShardStamp?> FoundAsync(CancellationToken cancellation) =>
        await ExistsAsync(_statements.Table, cancellation).ConfigureAwait(false)
            ? await transaction.ReadAsync(
                _statements.Read, row => new ShardStamp(row.GetInt32(0), row.GetString(1)), cancellation, Of(tables.JournalTable)).ConfigureAwait(false)
            : null;

    // Another writer may mark and append between two reads of ours, which would be events without a mark; so both are read in our turn.
    private async Task WriteOnceAsync(ShardPlace place, CancellationToken cancellation)
    {
        await transaction.RunAsync(SqlServerSchema.TakeTurns, cancellation).ConfigureAwait(false);
        await transaction.RunAsync(_statements.Create, cancellation).ConfigureAwait(false);
        var found = await FoundAsync(cancellation).ConfigureAwait(false);
        if (!ShardStamp.MustStamp(found, place, _statements.Journal, await HasEventsAsync(cancellation).ConfigureAwait(false)))
            return;
        await InsertAsync(place, cancellation).ConfigureAwait(false);
    }

    private Task InsertAsync(ShardPlace place, CancellationToken cancellation) => transaction.RunAsync(
        _statements.Write, cancellation, Of(tables.JournalTable), Of(place.Shard), Of(place.Map.ToString()));

    private async Task<bool> HasEventsAsync(CancellationToken cancellation) =>
        await ExistsAsync(_statements.Journal, cancellation).ConfigureAwait(false)
        && await transaction.ReadAsync(_statements.AnyEvent, _ => true, cancellation).ConfigureAwait(false);

    private Task<bool> ExistsAsync(string table, CancellationToken cancellation) =>
        transaction.ReadAsync(SqlServerServerStatements.IsThere, row => row.GetInt32(0) == 1, cancellation, Of(table));
}
