using CrushTest.Databases;

namespace Throttled.Benchmarks.Tags;

/// <summary>The tags of the events and of the streams: one tag for all streams, or one tag for each stream.</summary>
internal sealed record TagPlan(string Name, string Prefix, int Tags, int Streams)
{
    /// <summary>The tag of a stream or of an event.</summary>
    internal string Tag(int place) => $"{Prefix}-{place % Tags:D4}";

    /// <summary>The number of events that a stream gets, of some events.</summary>
    internal int Expected(int stream, int first, int count) => Enumerable.Range(first, count).Count(place => place % Tags == stream % Tags);

    /// <param name="first">The index of the first event, from 0.</param>
    internal IEnumerable<JournalEvent> Events(int first, int count)
    {
        for (var place = first; place < first + count; place++)
        {
            yield return new()
            {
                PersistenceId = $"{Prefix}-{place % 100:D6}",
                SequenceNumber = 1 + (place / 100),
                Payload = CrushPayload.Deposits.Bytes(place),
                SerializerId = CrushPayload.Deposits.SerializerId,
                Manifest = "",
                Tags = [Tag(place)],
            };
        }
    }

    /// <summary>The tagged events of all plans, evenly spread among others.</summary>
    internal static IEnumerable<JournalEvent> Spread(IReadOnlyList<TagPlan> plans, IReadOnlyCollection<JournalEvent> others, int tagged)
    {
        var events = plans.Select(plan => plan.Events(0, tagged).ToArray()).ToArray();
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
