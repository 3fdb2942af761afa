namespace Throttled.Faults.World;

/// <summary>Opens the queries of a crowd on a reader.</summary>
internal static class CrowdQueries
{
    internal static IAsyncEnumerable<JournalEvent> EventsOf(this CrowdQuery query, JournalReader reader) => query.Kind switch
    {
        CrowdKind.ById => reader.EventsByPersistenceId(query.Argument),
        CrowdKind.Tag => reader.EventsByTag(query.Argument),
        CrowdKind.Slices => reader.EventsBySlices(FirstOf(query), FirstOf(query) + Ledger.SlicesEach - 1),
        CrowdKind.All => reader.AllEvents(),
        _ => throw new ArgumentOutOfRangeException(nameof(query), query, "The query has no events."),
    };

    internal static IAsyncEnumerable<JournalEvent> CurrentEventsOf(this CrowdQuery query, JournalReader reader) => query.Kind switch
    {
        CrowdKind.ById => reader.CurrentEventsByPersistenceId(query.Argument),
        CrowdKind.Tag => reader.CurrentEventsByTag(query.Argument),
        CrowdKind.Slices => reader.CurrentEventsBySlices(FirstOf(query), FirstOf(query) + Ledger.SlicesEach - 1),
        CrowdKind.All => reader.CurrentAllEvents(),
        _ => throw new ArgumentOutOfRangeException(nameof(query), query, "The query has no events."),
    };

    private static int FirstOf(CrowdQuery query) => int.Parse(query.Argument);
}
