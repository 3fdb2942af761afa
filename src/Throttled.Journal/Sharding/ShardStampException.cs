namespace Throttled.Journal.Sharding;

/// <summary>The events of a shard were written with another map than the one that is configured: some would not be found.</summary>
internal sealed class ShardStampException : Exception
{
    private const string Remedy =
        "Correct the order, the number or the slices of the shards; to divide the journal anew, move its events first: throttled-reshard (docs/resharding.md)";

    private ShardStampException(string message)
        : base(message)
    {
    }

    internal static ShardStampException Another(string table, ShardPlace place, ShardStamp found) => new(FormattableString.Invariant(
        $"The journal table {table} was written as shard {found.Shard} of \"{found.Map}\", but is configured as {place}. {OrTwice(place, found)}{Remedy}. Where it has no events yet, its row in {ShardStamp.Table} of that database can be deleted instead."));

    /// <summary>The same, naming where.</summary>
    internal ShardStampException In(string where) => new($"{where}: {Message}");

    internal static ShardStampException Unsharded(string table, ShardPlace place) => new(
        $"The journal table {table} has events and no mark of a shard, so it was written by itself, but is configured as {place}. {Remedy}. "
        + "Where its writer leaves no marks and wrote only what is this shard's, write the mark: throttled-reshard mark (docs/resharding.md).");

    private static string OrTwice(ShardPlace place, ShardStamp found) =>
        found.Map == place.Map.ToString() ? "Either the shards stand in another order than before, or one database stands there twice. " : "";
}
