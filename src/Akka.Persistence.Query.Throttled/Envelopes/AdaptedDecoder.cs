using Akka.Persistence.Journal;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Envelopes;

/// <summary>
/// Decodes an event to one object or none: the payload, then the read event adapters. If an adapter makes several events of
/// one, they are combined; without a function for that, this is an error. Thread-safe.
/// </summary>
internal sealed class AdaptedDecoder(PayloadDecoder payloads, EventAdapters adapters, Func<IReadOnlyList<object>, object?>? combine)
{
    /// <exception cref="UndecodableEventException">The event cannot be decoded.</exception>
    internal object? Decode(JournalEvent row)
    {
        ArgumentNullException.ThrowIfNull(row);
        if (row.OmittedPayloadBytes > 0)
            throw TooLarge(row);
        try
        {
            var payload = payloads.Decode(row);
            var adapter = adapters.Get(payload.GetType());
            return adapter is IdentityEventAdapter ? payload : One(row, [.. adapter.FromJournal(payload, row.Manifest).Events]);
        }
        catch (Exception error) when (error is not OutOfMemoryException and not UndecodableEventException)
        {
            throw Undecodable(row, error, "Correct the serializer or the event adapter.");
        }
    }

    private object? One(JournalEvent row, IReadOnlyList<object> events) => events.Count switch
    {
        0 => null,
        1 => events[0],
        _ when combine is not null => combine(events),
        _ => throw Undecodable(
            row,
            new NotSupportedException(FormattableString.Invariant($"The event adapter makes {events.Count} events of it; without 'combine', it must make at most one.")),
            "Combine them with 'combine' of 'ThrottledReadJournal.PayloadDecoder'."),
    };

    private static UndecodableEventException TooLarge(JournalEvent row) => Undecodable(
        row,
        new NotSupportedException(FormattableString.Invariant($"Its payload has {row.OmittedPayloadBytes} bytes and was not read.")),
        "Raise 'MaxPayloadBytes' of the journal.");

    private static UndecodableEventException Undecodable(JournalEvent row, Exception cause, string remedy) => new(
        $"{EventText.Named(row)} cannot be decoded: {cause.Message} {EventText.Kind(row)} {remedy}", row, new Sequence(row.Ordering), cause);
}
