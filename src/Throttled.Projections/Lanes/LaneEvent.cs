using Throttled.Journal;

namespace Throttled.Projections.Lanes;

/// <summary>An event on its way to the handler.</summary>
/// <param name="Stored">As the journal has it.</param>
/// <param name="Payload">Decoded; null where the handler does not get it.</param>
/// <param name="Undecodable">Why it could not be decoded; null where it could.</param>
internal readonly record struct LaneEvent(JournalEvent Stored, object? Payload, Exception? Undecodable)
{
    // A decoder that knows nothing of payloads that were not read makes an event without content of the empty one. It may pass the event over.
    internal static LaneEvent Decode(JournalEvent stored, Func<JournalEvent, object?> decode)
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
