using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Envelopes;

/// <summary>The position at which a query in journal order begins, for a given offset; null begins with the first event.</summary>
internal static class StartOffset
{
    /// <exception cref="ArgumentException">The offset is of another kind, or of another journal.</exception>
    internal static ShardedPosition Of(Offset? offset, ShardMap map) => offset switch
    {
        null or NoOffset => ShardedPosition.At(map),
        // The query itself finds its start.
        FromEnd when map.Count == 1 => ShardedPosition.At(map),
        FromEnd => throw Invalid(FormattableString.Invariant(
            $"The offset is {offset}, but the journal has {map.Count} shards, and events of different shards have no common order; ")
            + "it must be a ShardedOffset from an envelope, or NoOffset for the first event."),
        Sequence { Value: < 0 } sequence => throw Invalid(FormattableString.Invariant(
            $"The offset is Sequence({sequence.Value}); it must be at least 0. NoOffset begins with the first event.")),
        Sequence sequence when sequence.Value == 0 || map.Count == 1 => ShardedPosition.At(map, sequence.Value),
        Sequence sequence => throw Invalid(FormattableString.Invariant(
            $"The offset is Sequence({sequence.Value}), but the journal has {map.Count} shards, and each numbers its own events; it must be a ShardedOffset from an envelope, ")
            + "or NoOffset for the first event. If the number was stored before the journal was divided with its orderings kept, pass "
            + FormattableString.Invariant($"new ShardedOffset(ShardedPosition.At(ShardMap.Parse(\"{map}\"), {sequence.Value})) (docs/sharding.md).")),
        ShardedOffset sharded => On(sharded.Position, map),
        _ => throw Invalid(
            $"The offset is a {offset.GetType().Name}; it must be a {(map.Count == 1 ? nameof(Sequence) : nameof(ShardedOffset))} from an envelope, or NoOffset for the first event."),
    };

    private static ShardedPosition On(ShardedPosition position, ShardMap map)
    {
        try
        {
            return position.On(map);
        }
        catch (ArgumentException error)
        {
            throw Invalid(error.Message);
        }
    }

    private static ArgumentException Invalid(string why, string paramName = "offset") => new(why, paramName);
}
