namespace Throttled.Benchmarks.Delivery;

/// <summary>Live queries of every kind, and the events that some of them get.</summary>
internal sealed record Mix(int Queries)
{
    /// <summary>One event in this many is the first of its persistence id.</summary>
    private const int FirstOfItsId = 20;

    private const string NewId = "new-";

    internal int All => Part(36);

    internal int Slices => Math.Min(32, Part(32));

    internal int PersistenceIds => Part(8);

    /// <summary>Half of these queries are on tags that are written.</summary>
    internal int Tags => Part(4_000);

    /// <summary>Half of these queries are on ids that are written.</summary>
    internal int ById => Queries - All - Slices - PersistenceIds - Tags;

    private int WrittenIds => (ById + 1) / 2;

    private int WrittenTags => (Tags + 1) / 2;

    /// <summary>The events that are in the journal before any query begins.</summary>
    internal IEnumerable<JournalEvent> Before(int perId)
    {
        for (var number = 1; number <= perId; number++)
        {
            for (var id = 0; id < ById; id++)
                yield return new() { PersistenceId = Id(id), SequenceNumber = number, Payload = "before the first"u8.ToArray() };
        }
    }

    /// <summary>The event at an index in the order of writing.</summary>
    /// <param name="place">The index, from 0; its bytes are the payload.</param>
    /// <param name="perId">The number of earlier events of each id.</param>
    internal JournalEvent Event(int place, int perId)
    {
        if (IsNew(place))
            return New(place);
        // The sequence numbers of an id have no gaps; after a gap, its query would read a page.
        var other = place - (place / FirstOfItsId) - 1;
        return new()
        {
            PersistenceId = Id(other % WrittenIds),
            SequenceNumber = perId + 1 + (other / WrittenIds),
            Payload = BitConverter.GetBytes(place),
            Tags = [Tag(place % WrittenTags)],
        };
    }

    /// <summary>
    /// The number of queries that get an event: those of all events, one by tag and one by slices. A query by persistence id gets it, too. If the id is
    /// new, the queries of persistence ids get it instead.
    /// </summary>
    internal int Expected(int place) => All + 2 + (IsNew(place) ? PersistenceIds : 1);

    internal IEnumerable<TimedQuery> Open(JournalReader reader, Arrivals arrivals)
    {
        for (var i = 0; i < ById; i++)
            yield return arrivals.Of("by id", reader.EventsByPersistenceId(Id(i)), PlaceOf);
        for (var i = 0; i < Tags; i++)
            yield return arrivals.Of("tag", reader.EventsByTag(Tag(i)), PlaceOf);
        for (var i = 0; i < All; i++)
            yield return arrivals.Of("all", reader.AllEvents(), PlaceOf);
        for (var i = 0; i < Slices; i++)
            yield return arrivals.Of("slices", reader.EventsBySlices(FirstSlice(i), FirstSlice(i + 1) - 1), PlaceOf);
        for (var i = 0; i < PersistenceIds; i++)
            yield return arrivals.Of("persistence ids", reader.PersistenceIds(), PlaceOf);
    }

    private static bool IsNew(int place) => place % FirstOfItsId == 0;

    private static int? PlaceOf(JournalEvent one) => one.Payload.Length == sizeof(int) ? BitConverter.ToInt32(one.Payload.Span) : null;

    private static int? PlaceOf(string id) => id.StartsWith(NewId, StringComparison.Ordinal) ? int.Parse(id.AsSpan(NewId.Length)) : null;

    private static string Id(int id) => $"account-{id:D8}";

    private static string Tag(int tag) => $"customer-{tag:D6}";

    private JournalEvent New(int place) => new()
    {
        PersistenceId = $"{NewId}{place}",
        SequenceNumber = 1,
        Payload = BitConverter.GetBytes(place),
        Tags = [Tag(place % WrittenTags)],
    };

    private int FirstSlice(int range) => range * JournalSlices.Count / Slices;

    private int Part(int ofTenThousand) => Math.Max(1, (int)((long)Queries * ofTenThousand / 10_000));
}
