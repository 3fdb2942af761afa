namespace Throttled.Journal.Sharding;

/// <summary>The journal of a shard is empty, and no mark is written beside it yet, which map it is for.</summary>
internal sealed class AwaitedStampException(string table, ShardPlace place)
    : Exception($"the journal table {table} is empty and has no mark of {place}");
