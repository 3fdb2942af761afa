using System.Globalization;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Envelopes;

/// <summary>How an event is named to people.</summary>
internal static class EventText
{
    internal static string Named(JournalEvent row) =>
        string.Create(CultureInfo.InvariantCulture, $"Event {row.SequenceNumber} of '{row.PersistenceId}' (ordering {row.Ordering})");

    internal static string Kind(JournalEvent row) =>
        $"Its serializer id is {row.SerializerId?.ToString(CultureInfo.InvariantCulture) ?? "missing"}, its manifest \"{row.Manifest}\".";
}
