using Throttled.Journal.Sql;

namespace Throttled.Journal.Sharding;

/// <summary>One shard of a journal.</summary>
/// <param name="Map">Which shard has which slices.</param>
/// <param name="Shard">Which it is, from 0.</param>
internal sealed record ShardPlace(ShardMap Map, int Shard)
{
    internal SliceRange Slices => Map[Shard];

    /// <summary>Whether there are others: one by itself needs no name, and no mark to be told from a journal that is not sharded.</summary>
    internal bool IsOneOfSeveral => Map.Count > 1;

    /// <summary>What messages of it begin with; nothing where there is no other.</summary>
    internal static string PrefixOf(ShardPlace? place) =>
        place is { IsOneOfSeveral: true } ? FormattableString.Invariant($"Shard {place.Shard} (slices {place.Slices}): ") : "";

    public override string ToString() => FormattableString.Invariant($"shard {Shard} of \"{Map}\"");
}
