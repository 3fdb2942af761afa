using Akka.Persistence.Query.Throttled.Tests.Ways;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Faults.World;

/// <summary>Queries of every kind over a few events, in turn as streams and as subscriptions: each must deliver all of them.</summary>
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
            var way = side.Ways[i % side.Ways.Count];
            streams.AddRange(Ids.Select(id => CountAsync(journal.EventsByPersistenceId(id, 0, long.MaxValue), way, EventsEach, isLive: true)));
            streams.Add(CountAsync(journal.EventsByTag(Tag, Offset.NoOffset()), way, Events, isLive: true));
            streams.Add(CountAsync(journal.AllEvents(Offset.NoOffset()), way, Events, isLive: true));
            streams.Add(CountAsync(journal.EventsBySlices(0, 1023, Offset.NoOffset()), way, Events, isLive: true));
            streams.Add(CountAsync(journal.PersistenceIds(), way, Ids.Length, isLive: true));
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
            var way = side.Ways[i % side.Ways.Count];
            streams.AddRange(Ids.Select(id => CountAsync(journal.CurrentEventsByPersistenceId(id, 0, long.MaxValue), way, EventsEach)));
            streams.Add(CountAsync(journal.CurrentEventsByTag(Tag, Offset.NoOffset()), way, Events));
            streams.Add(CountAsync(journal.CurrentAllEvents(Offset.NoOffset()), way, Events));
            streams.Add(CountAsync(journal.CurrentEventsBySlices(0, 1023, Offset.NoOffset()), way, Events));
            streams.Add(CountAsync(journal.CurrentPersistenceIds(), way, Ids.Length));
        }
        return streams;
    }

    // The number of missing events of a stream.
    private static async Task<int> CountAsync<T>(Source<T, NotUsed> source, QueryWay way, int expected, bool isLive = false)
        where T : class => expected - (await way.ItemsAsync(source).Take(isLive ? expected : int.MaxValue).Select(KeyOf).Distinct().ToListAsync()).Count;

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
