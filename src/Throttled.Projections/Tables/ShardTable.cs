using Throttled.Projections.Databases;

namespace Throttled.Projections.Tables;

/// <summary>
/// The shards of a sharded journal that a version's offsets refer to, and the end of each. A journal that is not sharded has no rows here: its end
/// is in the version's row. Only the tables know this, so that older releases can use them.
/// </summary>
internal static class ShardTable
{
    private const string Shard = Schema.Shard;

    internal static async Task<ILookup<string, (string Slices, long JournalEnd)>> ReadAsync(DatabaseTransaction transaction, string name)
    {
        var rows = await transaction.ReadAsync(
            $"""
            SELECT h.version, h.first_slice, h.last_slice, h.journal_end FROM {Shard} AS h JOIN {Schema.Projection} AS p ON p.version = h.version
            WHERE p.projection = @projection ORDER BY h.version, h.shard
            """,
            row => (Version: row.GetString(0), Shard: (Range(row.GetInt32(1), row.GetInt32(2)), row.GetInt64(3))), ("projection", name))
            .ConfigureAwait(false);
        return rows.ToLookup(row => row.Version, row => row.Shard);
    }

    internal static async Task<ShardMap> MapAsync(DatabaseTransaction transaction, string version) =>
        MapOf(await transaction.ReadAsync(
            $"SELECT first_slice, last_slice FROM {Shard} WHERE version = @version ORDER BY shard",
            row => Range(row.GetInt32(0), row.GetInt32(1)), ("version", version)).ConfigureAwait(false));

    internal static ShardMap MapOf(IEnumerable<string> ranges) => string.Join(',', ranges) is { Length: > 0 } map ? ShardMap.Parse(map) : ShardMap.Even(1);

    /// <summary>Their ends are unknown again.</summary>
    internal static async Task ReplaceAsync(DatabaseTransaction transaction, string version, ShardMap map)
    {
        await DeleteAsync(transaction, version).ConfigureAwait(false);
        if (map.Count == 1)
            return;
        int[] shards = [.. Enumerable.Range(0, map.Count)];
        var rows = new SqlRows(
            ("shard", shards),
            ("first", shards.Select(shard => map[shard].First).ToArray()),
            ("last", shards.Select(shard => map[shard].Last).ToArray()));
        await transaction.ExecuteForAsync(
            rows,
            $"""
            INSERT INTO {Shard} (version, shard, first_slice, last_slice, journal_end)
            SELECT @version, r.shard, r.first, r.last, 0 FROM {transaction.Dialect.Rows(rows)}
            """,
            ("version", version)).ConfigureAwait(false);
    }

    internal static async Task SetJournalEndAsync(DatabaseTransaction transaction, string version, int shard, long journalEnd)
    {
        var set = $"SET journal_end = @journal_end, journal_end_seen_at = {transaction.Dialect.Now} WHERE version = @version";
        var touched = await transaction.ExecuteAsync(
            $"UPDATE {Shard} {set} AND shard = @shard",
            ("journal_end", journalEnd), ("version", version), ("shard", shard)).ConfigureAwait(false);
        if (touched == 0)
            await transaction.ExecuteAsync($"UPDATE {Schema.Projection} {set}", ("journal_end", journalEnd), ("version", version)).ConfigureAwait(false);
    }

    internal static Task DeleteAsync(DatabaseTransaction transaction, string version) =>
        transaction.ExecuteAsync($"DELETE FROM {Shard} WHERE version = @version", ("version", version));

    private static string Range(int first, int last) => FormattableString.Invariant($"{first}-{last}");
}
