namespace Throttled.Journal.Sharding;

/// <summary>
/// What stands beside a shard's journal about the map that its events were written with, in the table <see cref="Table"/> of the same schema: a row
/// for each journal table.
/// </summary>
/// <param name="Shard">Which shard it is.</param>
/// <param name="Map">The whole map, as <see cref="ShardMap.ToString"/> spells it.</param>
internal sealed record ShardStamp(int Shard, string Map)
{
    internal const string Table = "throttled_shards";
    internal const string JournalColumn = "journal_table";
    internal const string ShardColumn = "shard";
    internal const string MapColumn = "slices";

    /// <summary>Makes sure that a reader finds the events that it looks for.</summary>
    /// <param name="found">What stands there; null for nothing.</param>
    /// <param name="place">What is configured.</param>
    /// <param name="table">The journal table, for messages.</param>
    /// <param name="hasEvents">Whether the journal has any.</param>
    /// <exception cref="ShardStampException">The data was written with another map.</exception>
    /// <exception cref="AwaitedStampException">The journal is empty, and its writer has not marked it yet.</exception>
    internal static void CheckRead(ShardStamp? found, ShardPlace place, string table, bool hasEvents)
    {
        if (!MustStamp(found, place, table, hasEvents) || !place.IsOneOfSeveral)
            return;
        throw new AwaitedStampException(table, place);
    }

    /// <returns>Whether a writer has to write the stamp.</returns>
    /// <exception cref="ShardStampException">The data was written with another map.</exception>
    internal static bool MustStamp(ShardStamp? found, ShardPlace place, string table, bool hasEvents)
    {
        if (found is null && hasEvents && place.IsOneOfSeveral)
            throw ShardStampException.Unsharded(table, place);
        if (found is not null && found != new ShardStamp(place.Shard, place.Map.ToString()))
            throw ShardStampException.Another(table, place, found);
        return found is null;
    }
}
