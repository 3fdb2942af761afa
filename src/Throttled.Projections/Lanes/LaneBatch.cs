using Throttled.Journal;

namespace Throttled.Projections.Lanes;

/// <summary>Events of a lane that are to be committed together where none fails.</summary>
internal sealed class LaneBatch
{
    private readonly List<DecodedEvent> _events = [];

    internal IReadOnlyList<DecodedEvent> Events => _events;

    /// <summary>All the lane's events up to here are in it, or were before it.</summary>
    internal JournalPosition ReadUpTo { get; private set; }

    /// <summary>How much room its events take in the lane's queue.</summary>
    internal long Bytes { get; private set; }

    internal void Add(DecodedEvent added, long bytes)
    {
        _events.Add(added);
        Pass(JournalPosition.Of(added.Stored), bytes);
    }

    /// <summary>There is nothing for the handler up to here.</summary>
    internal void Pass(JournalPosition position, long bytes = 0)
    {
        Bytes += bytes;
        if (position.Ordering > ReadUpTo.Ordering)
            ReadUpTo = position;
    }

    /// <summary>How far a part of it brings the lane.</summary>
    /// <param name="to">The index behind the part's last event.</param>
    internal JournalPosition ReadUpToOf(int to) => to == _events.Count ? ReadUpTo : JournalPosition.Of(_events[to - 1].Stored);

    /// <summary>The index of an event; null where it is not in it.</summary>
    internal int? IndexOf(long? ordering)
    {
        var index = ordering is { } at ? _events.FindIndex(each => each.Stored.Ordering == at) : -1;
        return index < 0 ? null : index;
    }
}

/// <summary>An event on its way to the handler.</summary>
/// <param name="Stored">As the journal has it.</param>
/// <param name="Payload">Decoded; null where the handler does not get it.</param>
/// <param name="Undecodable">Why it could not be decoded; null where it could.</param>
internal readonly record struct DecodedEvent(JournalEvent Stored, object? Payload, Exception? Undecodable)
{
    // A decoder that knows nothing of payloads that were not read makes an event without content of the empty one. It may pass the event over.
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
