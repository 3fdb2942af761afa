using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Faults.World;

/// <summary>Streams of every kind over a few events: each kind must deliver all of them.</summary>
internal static class EveryQuery
{
    internal const string Tag = "tag";

    internal static readonly string[] Ids = [.. Enumerable.Range(0, 5).Select(i => $"id-{i}")];

    /// <summary>The number of events of each id.</summary>
    internal const int EventsEach = 4;

    private const int Events = 5 * EventsEach;

    internal static JournalEvent[] NewEvents() => [.. Enumerable.Range(1, EventsEach).SelectMany(number => Ids.Select(id => Event(id, number)))];

    /// <summary>Starts streams of every kind. Each ends when it has all events.</summary>
    /// <param name="side">The read side that runs them.</param>
    /// <param name="rounds">The number of streams of each kind, and of each id.</param>
    internal static List<Task<int>> Live(ReadSide side, int rounds)
    {
        var journal = side.Journal;
        List<Task<int>> streams = [];
        for (var i = 0; i < rounds; i++)
        {
            streams.AddRange(Ids.Select(id => CountAsync(journal.EventsByPersistenceId(id, 0, long.MaxValue).Take(EventsEach), side, EventsEach)));
            streams.Add(CountAsync(journal.EventsByTag(Tag, Offset.NoOffset()).Take(Events), side, Events));
            streams.Add(CountAsync(journal.AllEvents(Offset.NoOffset()).Take(Events), side, Events));
            streams.Add(CountAsync(journal.EventsBySlices(0, 1023, Offset.NoOffset()).Take(Events), side, Events));
            streams.Add(CountAsync(journal.PersistenceIds().Take(Ids.Length), side, Ids.Length));
        }
        return streams;
    }

    /// <inheritdoc cref="Live"/>
    internal static List<Task<int>> Current(ReadSide side, int rounds)
    {
        var journal = side.Journal;
        List<Task<int>> streams = [];
        for (var i = 0; i < rounds; i++)
        {
            streams.AddRange(Ids.Select(id => CountAsync(journal.CurrentEventsByPersistenceId(id, 0, long.MaxValue), side, EventsEach)));
            streams.Add(CountAsync(journal.CurrentEventsByTag(Tag, Offset.NoOffset()), side, Events));
            streams.Add(CountAsync(journal.CurrentAllEvents(Offset.NoOffset()), side, Events));
            streams.Add(CountAsync(journal.CurrentEventsBySlices(0, 1023, Offset.NoOffset()), side, Events));
            streams.Add(CountAsync(journal.CurrentPersistenceIds(), side, Ids.Length));
        }
        return streams;
    }

    // The number of missing events of a stream.
    private static async Task<int> CountAsync<T>(Source<T, NotUsed> source, ReadSide side, int expected) =>
        expected - (await source.Select(KeyOf).RunWith(Sink.Seq<object>(), side.Materializer)).Distinct().Count();

    private static object KeyOf<T>(T item) => item is EventEnvelope each ? ((Sequence)each.Offset).Value : item!;

    private static JournalEvent Event(string id, int number) => new()
    {
        PersistenceId = id,
        SequenceNumber = number,
        Payload = new byte[] { 1 },
        SerializerId = 4,
        Tags = [Tag],
    };
}
