using System.Data.Common;

namespace Throttled.Projections.Store;

/// <summary>The read models of projections.</summary>
internal static class TargetTable
{
    private const string Columns = "version, projection, role, source, lanes, epoch, paused, resumes, journal_end";

    internal static async Task<IReadOnlyList<TargetRow>> ReadAsync(StoreTransaction transaction, string name, CancellationToken cancellation)
    {
        var rows = await transaction.ReadAsync(
            $"SELECT {Columns}, {Sum("events")}, {Sum("unhandled")} FROM {StoreTables.Projection} AS p WHERE projection = @projection ORDER BY version",
            row => Row(row) with { Handled = new(row.GetInt64(9), row.GetInt64(10)) }, cancellation, ("projection", name)).ConfigureAwait(false);
        var shards = await ShardTable.ReadAsync(transaction, name, cancellation).ConfigureAwait(false);
        return [.. rows.Select(row => shards[row.Target].Any()
            ? row with { Map = ShardTable.MapOf(shards[row.Target].Select(shard => shard.Slices)), Heads = [.. shards[row.Target].Select(shard => shard.Head)] }
            : row)];
    }

    private static string Sum(string column) =>
        $"coalesce((SELECT CAST(sum(o.{column}) AS bigint) FROM {StoreTables.Position} AS o WHERE o.version = p.version), 0)";

    /// <summary>Holds a version to the end of the transaction.</summary>
    /// <exception cref="FencedException">It is not there.</exception>
    internal static Task<TargetRow> LockAsync(StoreTransaction transaction, string target, CancellationToken cancellation) =>
        OneAsync(transaction, target, transaction.Spelling.ForUpdate, cancellation);

    /// <exception cref="FencedException">It is not there.</exception>
    internal static Task<TargetRow> ReadOneAsync(StoreTransaction transaction, string target, CancellationToken cancellation) =>
        OneAsync(transaction, target, "", cancellation);

    private static async Task<TargetRow> OneAsync(StoreTransaction transaction, string target, string holding, CancellationToken cancellation) =>
        (await transaction.ReadAsync(
            $"SELECT {Columns} FROM {StoreTables.Projection} WHERE version = @version{holding}",
            Row, cancellation, ("version", target)).ConfigureAwait(false)).SingleOrDefault()
        ?? throw new FencedException($"'{target}' is not there any more.");

    /// <returns>Whether it was not there. Who inserts the same waits for the end of this transaction.</returns>
    internal static async Task<bool> InsertAsync(StoreTransaction transaction, TargetRow row, CancellationToken cancellation) =>
        await transaction.ExecuteAsync(
            $"""
            INSERT INTO {StoreTables.Projection} ({Columns})
            VALUES (@version, @projection, @role, @source, @lanes, @epoch, @paused, @resumes, @journal_end) ON CONFLICT (version) DO NOTHING
            """,
            cancellation, ("version", row.Target), ("projection", row.Name), ("role", row.Role.ToString()), ("source", row.Source),
            ("lanes", row.Lanes), ("epoch", row.Epoch), ("paused", row.IsPaused), ("resumes", row.Resumes), ("journal_end", row.Head))
            .ConfigureAwait(false) > 0;

    /// <summary>Writes what a layout, a reset or a swap changes.</summary>
    internal static Task UpdateAsync(StoreTransaction transaction, TargetRow row, CancellationToken cancellation) =>
        transaction.ExecuteAsync(
            $"UPDATE {StoreTables.Projection} SET role = @role, lanes = @lanes, epoch = @epoch WHERE version = @version",
            cancellation, ("role", row.Role.ToString()), ("lanes", row.Lanes), ("epoch", row.Epoch), ("version", row.Target));

    internal static Task SetHeadAsync(StoreTransaction transaction, string target, long head, CancellationToken cancellation) =>
        transaction.ExecuteAsync(
            $"UPDATE {StoreTables.Projection} SET journal_end = @journal_end, journal_end_seen_at = {transaction.Spelling.Now} WHERE version = @version",
            cancellation, ("journal_end", head), ("version", target));

    internal static Task DeleteAsync(StoreTransaction transaction, string target, CancellationToken cancellation) =>
        transaction.ExecuteAsync($"DELETE FROM {StoreTables.Projection} WHERE version = @version", cancellation, ("version", target));

    private static TargetRow Row(DbDataReader row) => new(
        row.GetString(0), row.GetString(1), Enum.Parse<TargetRole>(row.GetString(2)), row.GetString(3), row.GetInt32(4), row.GetInt64(5),
        row.GetBoolean(6), row.GetInt64(7), row.GetInt64(8));
}
