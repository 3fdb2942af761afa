namespace Throttled.Journal.Sharding;

/// <summary>The events of a shard were written with another map than the one that is configured: some would not be found.</summary>
internal sealed class ShardStampException(string message) : Exception(message)
{
    /// <summary>The same, naming where.</summary>
    internal ShardStampException In(string where) => new($"{where}: {Message}");
}
