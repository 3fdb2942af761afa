using System.Text;

namespace Throttled.Testing;

/// <summary>Events whose payload identifies them.</summary>
public static class TestEvents
{
    public static JournalEvent[] Of(string persistenceId, long from, int count, string mark = "") =>
        [.. Enumerable.Range(0, count).Select(i => One(persistenceId, from + i, mark))];

    public static JournalEvent One(string persistenceId, long sequenceNumber, string mark = "") => new()
    {
        PersistenceId = persistenceId,
        SequenceNumber = sequenceNumber,
        Timestamp = 638_000_000_000_000_000 + sequenceNumber,
        Payload = Encoding.UTF8.GetBytes(Text(persistenceId, sequenceNumber, mark)),
        SerializerId = 1,
        Manifest = "test",
    };

    /// <summary>The text of an event's payload.</summary>
    public static string Text(string persistenceId, long sequenceNumber, string mark = "") =>
        $"{persistenceId}/{sequenceNumber}{mark}";

    public static string TextOf(JournalEvent each) => Encoding.UTF8.GetString(each.Payload.Span);

    /// <summary>A number of ids: the prefix and a number from 0.</summary>
    public static string[] Ids(string prefix, int count) => [.. Enumerable.Range(0, count).Select(i => $"{prefix}-{i}")];

    /// <summary>Events of each id, the same number for each, in order within an id; the ids are mixed.</summary>
    public static IEnumerable<JournalEvent> OfEach(IReadOnlyList<string> ids, long from, int count) =>
        Enumerable.Range(0, count).SelectMany(number => ids.Select(id => One(id, from + number)));
}
