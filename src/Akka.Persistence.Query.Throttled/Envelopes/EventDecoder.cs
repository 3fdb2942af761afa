using System.Collections.Concurrent;
using Akka.Event;
using Akka.Persistence.Journal;
using Akka.Persistence.Query.Throttled.Diagnostics;
using Akka.Persistence.Query.Throttled.Settings;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Envelopes;

/// <summary>
/// Makes envelopes of events. Decodes the payload, then applies the write plugin's read event adapters, which may make none or
/// several events of one. The envelopes of one event share its offset. Thread-safe: all queries of a database share it.
/// </summary>
internal sealed class EventDecoder(PayloadDecoder payloads, EventAdapters adapters, JournalSettings settings, ILoggingAdapter log)
    : IItemDecoder<JournalEvent, EventEnvelope>
{
    // The log has one message for each kind, because a journal may hold millions of such events.
    private readonly ConcurrentDictionary<(int?, string, bool IsLarge), bool> _skipped = new();

    /// <inheritdoc cref="Decode(JournalEvent, Offset, out Queue{EventEnvelope})" path="/exception"/>
    public EventEnvelope? Decode(JournalEvent item, out Queue<EventEnvelope>? rest) => Decode(item, new Sequence(item.Ordering), out rest);

    /// <returns>The first envelope; null if there is none. <paramref name="rest"/> has the others; null for none.</returns>
    /// <exception cref="UndecodableEventException">The event cannot be decoded, and the settings let its query fail.</exception>
    internal EventEnvelope? Decode(JournalEvent item, Offset offset, out Queue<EventEnvelope>? rest)
    {
        rest = null;
        if (item.OmittedPayloadBytes > 0)
            return Undecodable(item, offset, TooLarge(item));
        try
        {
            var payload = payloads.Decode(item);
            var adapter = adapters.Get(payload.GetType());
            return adapter is IdentityEventAdapter ? Envelope(item, offset, payload) : Adapted(item, offset, adapter.FromJournal(payload, item.Manifest), out rest);
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            rest = null;
            return Undecodable(item, offset, error);
        }
    }

    private static EventEnvelope? Adapted(JournalEvent row, Offset offset, IEventSequence events, out Queue<EventEnvelope>? rest)
    {
        EventEnvelope? first = null;
        rest = null;
        foreach (var each in events.Events)
        {
            if (first is null)
                first = Envelope(row, offset, each);
            else
                (rest ??= new()).Enqueue(Envelope(row, offset, each));
        }
        return first;
    }

    // Queries share pages, and an envelope exposes its array of tags, so copy the tags.
    private static EventEnvelope Envelope(JournalEvent row, Offset offset, object payload) => new(
        offset, row.PersistenceId, row.SequenceNumber, payload, row.Timestamp, row.Tags.Count == 0 ? [] : [.. row.Tags]);

    private EventEnvelope? Undecodable(JournalEvent row, Offset offset, Exception error)
    {
        switch (settings.OnUndecodableEvent)
        {
            case UndecodableEventAction.Deliver:
                return Envelope(row, offset, new UndecodableEvent(row, error));
            case UndecodableEventAction.Skip:
                if (_skipped.TryAdd((row.SerializerId, row.Manifest, row.OmittedPayloadBytes > 0), true))
                    log.Skipped(EventText.Named(row), row, error);
                return null;
            default:
                throw new UndecodableEventException(
                    $"{EventText.Named(row)} cannot be decoded: {error.Message} {EventText.Kind(row)} {Remedy(row)}, or set '{settings.PluginId}.on-undecodable-event' to skip or deliver.",
                    row, offset, error);
        }
    }

    private JournalException TooLarge(JournalEvent row) => new(FormattableString.Invariant(
        $"Its payload has {row.OmittedPayloadBytes} bytes; '{settings.PluginId}.max-payload-bytes' is {settings.Options.MaxPayloadBytes}."));

    private string Remedy(JournalEvent row) => row.OmittedPayloadBytes > 0
        ? $"Raise '{settings.PluginId}.max-payload-bytes'"
        : "Correct the serializer or the event adapter";
}
