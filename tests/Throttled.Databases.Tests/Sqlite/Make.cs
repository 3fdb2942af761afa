using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Sqlite.Tests;

/// <summary>Short ways to create test objects.</summary>
internal static class Make
{
    internal static JournalEvent Event(string persistenceId, long sequenceNumber, params string[] tags) => new()
    {
        PersistenceId = persistenceId,
        SequenceNumber = sequenceNumber,
        Timestamp = 638_000_000_000_000_000 + sequenceNumber,
        Payload = new byte[] { 1, 2, (byte)sequenceNumber },
        SerializerId = 9,
        Manifest = "Happened",
        Tags = tags,
    };

    internal static JournalEvent[] Events(string persistenceId, int count) =>
        [.. Enumerable.Range(1, count).Select(number => Event(persistenceId, number))];

    internal static ByIdRequest Ask(string persistenceId, long from = 1, long to = long.MaxValue, int limit = 100) =>
        new(persistenceId, new(from, to), limit);

    internal static ByIdRows Pages(params ByIdRequest[] requests) => new(requests, 10_000, new ByteBudget(long.MaxValue));

    internal static async Task<IReadOnlyList<ByIdResult?>> ReadAsync(this IJournalDatabase database, params ByIdRequest[] requests)
    {
        var pages = Pages(requests);
        await database.ReadPagesAsync(pages, CancellationToken.None);
        pages.Complete();
        return pages.Pages;
    }

    internal static async Task<List<JournalEvent>> EventsAsync(this IJournalDatabase database, string persistenceId) =>
        Events((await database.ReadAsync(Ask(persistenceId)))[0]);

    internal static List<JournalEvent> Events(ByIdResult? result) => Items(result?.Page);

    internal static List<T> Items<T>(Page<T>? page)
        where T : class =>
        page is null ? [] : [.. Enumerable.Range(0, page.Count).Select(index => page[index]!)];

    internal static IEnumerable<long> Numbers(ByIdResult? result) => Events(result).Select(each => each.SequenceNumber);
}
