namespace CrushTest.Databases;

internal static class CrushEvents
{
    /// <summary>Events that are appended to one id in a row, as an entity persists several at a time.</summary>
    internal const int Run = 10;

    internal static string[] Ids(int streams)
    {
        var ids = new string[streams];
        for (var i = 0; i < ids.Length; i++)
            ids[i] = $"account-{i:D8}";
        return ids;
    }

    internal static JournalEvent Event(CrushPayload payload, string id, int number) => Event(payload, id, number, payload.Bytes(number));

    /// <summary>All events of all ids, in the order in which they are appended.</summary>
    internal static IEnumerable<JournalEvent> All(CrushPayload payload, string[] ids, int events)
    {
        for (var first = 1; first <= events; first += Run)
        {
            byte[][] bytes = [.. Enumerable.Range(first, Math.Min(Run, events + 1 - first)).Select(payload.Bytes)];
            foreach (var id in ids)
            {
                for (var i = 0; i < bytes.Length; i++)
                    yield return Event(payload, id, first + i, bytes[i]);
            }
        }
    }

    /// <summary>Bytes of an event's payload on the heap: the array's header, and its bytes rounded up to whole words.</summary>
    internal static long OnHeap(CrushPayload payload) => 24 + ((payload.Bytes(1).Length + 7L) / 8 * 8);

    private static JournalEvent Event(CrushPayload payload, string id, int number, byte[] bytes) => new()
    {
        PersistenceId = id,
        SequenceNumber = number,
        Payload = bytes,
        SerializerId = payload.SerializerId,
        Manifest = payload.Manifest,
    };
}
