namespace Throttled.Testing;

/// <summary>Reads queries to their end, or a number of items.</summary>
public static class Reading
{
    public static IAsyncEnumerable<JournalEvent> Events(
        this JournalReader reader, bool live, string persistenceId, long from = 0, long to = long.MaxValue) =>
        live
            ? reader.EventsByPersistenceId(persistenceId, from, to)
            : reader.CurrentEventsByPersistenceId(persistenceId, from, to);

    public static IAsyncEnumerable<string> Ids(this JournalReader reader, bool live) =>
        live ? reader.PersistenceIds() : reader.CurrentPersistenceIds();

    public static Task<List<T>> AllAsync<T>(this IAsyncEnumerable<T> query) =>
        CollectAsync(query, int.MaxValue).WithinAsync("the query's end");

    /// <summary>The first items of a query that may go on.</summary>
    public static Task<List<T>> FirstAsync<T>(this IAsyncEnumerable<T> query, int count) =>
        CollectAsync(query, count).WithinAsync($"the first {count} events");

    /// <summary>The first items, or none if the count is 0.</summary>
    public static Task<List<T>> FirstOrNoneAsync<T>(this IAsyncEnumerable<T> query, int count) =>
        count == 0 ? Task.FromResult<List<T>>([]) : query.FirstAsync(count);

    public static IEnumerable<long> Numbers(this IEnumerable<JournalEvent> events) => events.Select(each => each.SequenceNumber);

    public static IEnumerable<long> Orderings(this IEnumerable<JournalEvent> events) => events.Select(each => each.Ordering);

    public static IEnumerable<string> Texts(this IEnumerable<JournalEvent> events) => events.Select(TestEvents.TextOf);

    /// <summary>The numbers of a range, both ends included.</summary>
    public static IEnumerable<long> Numbers(long from, long to)
    {
        for (var number = from; number <= to; number++)
            yield return number;
    }

    private static async Task<List<T>> CollectAsync<T>(IAsyncEnumerable<T> query, int count)
    {
        List<T> events = [];
        await foreach (var each in query)
        {
            events.Add(each);
            if (events.Count == count)
                break;
        }
        return events;
    }
}
