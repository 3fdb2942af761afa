using System.Data.Common;
using Throttled.Journal.Database;

namespace Throttled.Journal.Relational;

/// <summary>
/// The mark of a shard: the map with which its events were written. The table <see cref="Table"/> in the journal's schema has one row for each
/// journal table.
/// </summary>
/// <param name="Shard">The number of the shard, from 0.</param>
/// <param name="Map">The whole map, in the format of <see cref="ShardMap.ToString"/>.</param>
internal sealed record ShardMark(int Shard, string Map)
{
    internal const string Table = "throttled_shards";
    internal const string JournalColumn = "journal_table";
    internal const string ShardColumn = "shard";
    internal const string MapColumn = "slices";

    private const string Remedy =
        "Correct the order, the number or the slices of the shards; to divide the journal differently, move its events first: throttled reshard (docs/resharding.md)";

    /// <summary>The mark in a row of <see cref="ShardMarkSql.Read"/>.</summary>
    internal static ShardMark Of(DbDataReader row) => new(row.GetInt32(0), row.GetString(1));

    /// <summary>Checks that a reader with this configuration finds the events of each persistence id.</summary>
    /// <param name="hasEvents">
    /// Whether the journal has events. Read this before the mark: a writer writes the mark first. If there are events and then no mark, they were
    /// written without one.
    /// </param>
    /// <param name="found">The mark; null if there is none.</param>
    /// <param name="identity">The configured shard.</param>
    /// <param name="table">The journal table, for messages.</param>
    /// <exception cref="ShardMarkException">The data was written with another map.</exception>
    /// <exception cref="ShardMarkPendingException">The journal is empty, and its writer has not written the mark yet.</exception>
    internal static void CheckRead(bool hasEvents, ShardMark? found, ShardIdentity identity, string table)
    {
        if (MustMark(found, identity, table, hasEvents))
            throw new ShardMarkPendingException(table, identity);
    }

    /// <summary>The warning if one of several shards is read as an unsharded journal; null if the journal is not one of several shards.</summary>
    internal static string? WarningOf(ShardMark? found, string table) => found is null || !found.Map.Contains(',', StringComparison.Ordinal) ? null : FormattableString.Invariant(
        $"The journal table {table} is shard {found.Shard} of \"{found.Map}\", but is read without the events of the other shards. To read all events, open the journal with all its shards.");

    /// <returns>
    /// Whether a writer must write the mark. A single shard needs none, because it is like an unsharded journal. So its readers need no rights on another
    /// table.
    /// </returns>
    /// <exception cref="ShardMarkException">The data was written with another map.</exception>
    internal static bool MustMark(ShardMark? found, ShardIdentity identity, string table, bool hasEvents)
    {
        if (found is null && hasEvents && identity.IsOneOfSeveral)
            throw Unsharded(table, identity);
        if (found is not null && found != new ShardMark(identity.Shard, identity.Map.ToString()))
            throw Another(table, identity, found);
        return found is null && identity.IsOneOfSeveral;
    }

    internal static ShardMarkException Another(string table, ShardIdentity identity, ShardMark found) => new(FormattableString.Invariant(
        $"The journal table {table} was written as shard {found.Shard} of \"{found.Map}\", but is configured as {identity}. {OrTwice(identity, found)}{Remedy}. If it has no events yet, you can delete its row in {Table} of that database instead."));

    internal static ShardMarkException Unsharded(string table, ShardIdentity identity) => new(
        $"The journal table {table} has events but no shard mark, so it was not written as a shard, but it is configured as {identity}. {Remedy}. "
        + "If its writer does not write marks and wrote only events of this shard, write the mark: throttled reshard mark (docs/resharding.md).");

    private static string OrTwice(ShardIdentity identity, ShardMark found) =>
        found.Map == identity.Map.ToString() ? "Either the order of the shards has changed, or one database is listed twice. " : "";
}
