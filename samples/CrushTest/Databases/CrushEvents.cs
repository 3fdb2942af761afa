using Throttled.Journal;

namespace CrushTest.Databases;

/// <summary>The events of the crush test.</summary>
internal static class CrushEvents
{
    /// <summary>Events that are appended together to an id before the next one's turn, as an entity that was woken persists some.</summary>
    internal const int Run = 10;

    internal static string[] Ids(int streams)
    {
        var ids = new string[streams];
        for (var i = 0; i < ids.Length; i++)
            ids[i] = $"account-{i:D8}";
        return ids;
    }

    internal static JournalEvent Event(CrushPayload payload, string id, int number) => new()
    {
        PersistenceId = id,
        SequenceNumber = number,
        Payload = payload.Bytes(number),
        SerializerId = payload.SerializerId,
        Manifest = payload.Manifest,
    };

    /// <summary>All events of all ids, in the order in which they are appended.</summary>
    internal static IEnumerable<JournalEvent> All(CrushPayload payload, string[] ids, int events)
    {
        for (var first = 1; first <= events; first += Run)
        {
            foreach (var id in ids)
            {
                for (var number = first; number < first + Run && number <= events; number++)
                    yield return Event(payload, id, number);
            }
        }
    }

    /// <summary>Bytes that an event's payload takes on the heap: an array's head, and a whole number of words.</summary>
    internal static long OnHeap(CrushPayload payload) => 24 + ((payload.Bytes(1).Length + 7L) / 8 * 8);
}
