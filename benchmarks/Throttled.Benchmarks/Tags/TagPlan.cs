using Throttled.Journal;

namespace Throttled.Benchmarks.Tags;

/// <summary>Which tags the events have and the streams ask for: all the same, or each stream its own.</summary>
/// <param name="Name">As the report names it.</param>
/// <param name="Prefix">How its tags and ids begin.</param>
/// <param name="Tags">How many tags there are.</param>
internal sealed record TagPlan(string Name, string Prefix, int Tags)
{
    internal const int Streams = 35;

    internal static TagPlan[] Both { get; } = [new("one tag", "shared", 1), new($"{Streams} tags", "own", Streams)];

    /// <summary>The tag of a stream, and that of an event.</summary>
    internal string Tag(int place) => $"{Prefix}-{place % Tags:D2}";

    /// <summary>How many of some events a stream gets.</summary>
    internal int Expected(int stream, int first, int count) => Enumerable.Range(first, count).Count(place => Tag(place) == Tag(stream));

    /// <param name="first">The place of the first event, from 0.</param>
    /// <param name="count">How many.</param>
    internal IEnumerable<JournalEvent> Events(int first, int count)
    {
        for (var place = first; place < first + count; place++)
        {
            yield return new()
            {
                PersistenceId = $"{Prefix}-{place % 100:D6}",
                SequenceNumber = 1 + (place / 100),
                Payload = """{"$id":"1","amount":{"$":"I4711"}}"""u8.ToArray(),
                SerializerId = 1,
                Manifest = "Shop.Ordered, Shop",
                Tags = [Tag(place)],
            };
        }
    }

    /// <summary>The tagged events of all plans, evenly spread among others.</summary>
    internal static IEnumerable<JournalEvent> Spread(IReadOnlyCollection<JournalEvent> others, int tagged)
    {
        var events = Both.Select(plan => plan.Events(0, tagged).ToArray()).ToArray();
        var (place, next) = (0, 0);
        foreach (var other in others)
        {
            yield return other;
            for (place++; next < (long)place * tagged / others.Count; next++)
            {
                foreach (var one in events)
                    yield return one[next];
            }
        }
    }
}
