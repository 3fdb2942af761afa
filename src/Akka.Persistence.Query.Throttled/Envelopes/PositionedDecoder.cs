using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Envelopes;

/// <summary>
/// Makes envelopes of the events of one query over several shards. Each carries the position behind its event, which is behind all that came before
/// it in the stream too; so each stream needs one of its own.
/// </summary>
internal sealed class PositionedDecoder : IItemDecoder<JournalEvent, EventEnvelope>
{
    private readonly IReadOnlyList<EventDecoder> _shards;
    private readonly ShardedPosition _start;
    private ShardedPosition _position;

    /// <param name="shards">The decoder of each shard.</param>
    /// <param name="start">Where the query begins.</param>
    internal PositionedDecoder(IReadOnlyList<EventDecoder> shards, ShardedPosition start) => (_shards, _start, _position) = (shards, start, start);

    // A source may run several times, and each run begins at its start.
    public IItemDecoder<JournalEvent, EventEnvelope> OfOneStream() => new PositionedDecoder(_shards, _start);

    /// <exception cref="UndecodableEventException">The event cannot be decoded, and that fails its query.</exception>
    public EventEnvelope? Decode(JournalEvent item, out Queue<EventEnvelope>? rest)
    {
        _position = _position.After(item);
        return _shards[_position.Map.ShardOf(item.PersistenceId)].Decode(item, new ShardedOffset(_position), out rest);
    }
}
