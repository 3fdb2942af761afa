using Throttled.Projections.Tables;

namespace Throttled.Projections.Lanes;

internal sealed class LaneBatch
{
    private readonly List<DecodedEvent> _events = [];

    internal IReadOnlyList<DecodedEvent> Events => _events;

    /// <summary>All the lane's events up to here are in this batch or in earlier ones.</summary>
    internal JournalPosition ReadUpTo { get; private set; }

    /// <summary>The bytes of its events in the lane's queue.</summary>
    internal long Bytes { get; private set; }

    /// <summary>The dead letters of a retry, one for each event; empty if the events come from the queue.</summary>
    internal IReadOnlyList<DeadLetter> DeadLetters { get; private init; } = [];

    /// <summary>The command of a retry, and its end if this batch is its last part; null for none.</summary>
    internal LaneCommandPart? Command { get; private init; }

    internal bool IsRetry => DeadLetters.Count > 0;

    /// <summary>A batch of dead letters of one persistence id. Writing it moves no offset, and removes the dead letters.</summary>
    internal static LaneBatch OfRetry(
        IReadOnlyList<DeadLetter> deadLetters, LaneCommandPart command, Func<JournalEvent, object?> decode)
    {
        var batch = new LaneBatch { DeadLetters = deadLetters, Command = command };
        foreach (var deadLetter in deadLetters)
            batch.Add(DecodedEvent.Decode(deadLetter.Event, decode), 0);
        return batch;
    }

    internal void Add(DecodedEvent added, long bytes)
    {
        _events.Add(added);
        Pass(JournalPosition.Of(added.Stored), bytes);
    }

    internal void Pass(JournalPosition position, long bytes = 0)
    {
        Bytes += bytes;
        if (position.Ordering > ReadUpTo.Ordering)
            ReadUpTo = position;
    }

    /// <summary>The ordering that the lane reaches with the events before an index.</summary>
    internal JournalPosition ReadUpToOf(int to) => to == _events.Count ? ReadUpTo : JournalPosition.Of(_events[to - 1].Stored);

    internal int? IndexOf(long? ordering)
    {
        var index = ordering is { } at ? _events.FindIndex(each => each.Stored.Ordering == at) : -1;
        return index < 0 ? null : index;
    }
}

/// <summary>An event on its way to the handler. Both are null if the decoder skips it.</summary>
internal readonly record struct DecodedEvent(JournalEvent Stored, object? Payload, Exception? Undecodable)
{
    // A decoder that ignores OmittedPayloadBytes would turn an omitted payload into an event without content. It may still skip the event.
    internal static DecodedEvent Decode(JournalEvent stored, Func<JournalEvent, object?> decode)
    {
        try
        {
            var payload = decode(stored);
            return payload is not null && stored.OmittedPayloadBytes > 0 ? new(stored, null, NotRead(stored)) : new(stored, payload, null);
        }
        catch (Exception error)
        {
            return new(stored, null, error);
        }
    }

    private static NotSupportedException NotRead(JournalEvent stored) => new(FormattableString.Invariant(
        $"The payload has {stored.OmittedPayloadBytes} bytes and was not read. Raise 'MaxPayloadBytes' of the journal ('max-payload-bytes' of a read journal), or have the 'Decoder' return null for such events."));
}
