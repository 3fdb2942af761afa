using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Envelopes;

/// <summary>
/// Decodes the events of one query over several shards. Each envelope carries the position after its event and after all
/// earlier events of the stream. So each stream needs its own decoder.
/// </summary>
internal sealed class PositionedDecoder : IItemDecoder<JournalEvent, EventEnvelope>
{
    private readonly IReadOnlyList<EventDecoder> _shards;
    private readonly ShardedPosition _start;
    private ShardedPosition _position;

    internal PositionedDecoder(IReadOnlyList<EventDecoder> shards, ShardedPosition start) => (_shards, _start, _position) = (shards, start, start);

    // A source may run several times, and each run begins at its start.
    public IItemDecoder<JournalEvent, EventEnvelope> OfOneStream() => new PositionedDecoder(_shards, _start);

    /// <exception cref="UndecodableEventException">The event cannot be decoded, and the settings let its query fail.</exception>
    public EventEnvelope? Decode(JournalEvent item, out Queue<EventEnvelope>? rest)
    {
        _position = _position.After(item);
        return _shards[_position.Map.ShardOf(item.PersistenceId)].Decode(item, new ShardedOffset(_position), out rest);
    }
}
