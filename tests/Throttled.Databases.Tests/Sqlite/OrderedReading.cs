using Throttled.Journal.Rows;

namespace Throttled.Journal.Sqlite.Tests;

/// <summary>Short ways to read in journal order.</summary>
internal static class OrderedReading
{
    internal static OrderedRequest All(long after = 0, long through = long.MaxValue, int limit = 1000) =>
        new(EventFilter.All, after, through, limit);

    internal static OrderedRequest Tagged(string tag, long after = 0, long through = long.MaxValue, int limit = 1000) =>
        new(new() { Tag = tag }, after, through, limit);

    internal static OrderedRows Of(TagMode mode, int maxRows, params OrderedRequest[] requests) =>
        new(
            requests,
            new(maxRows, long.MaxValue, TagsComeLater: requests[0].Filter.Tag is not null && mode == TagMode.TagTable),
            new ByteBudget(long.MaxValue));

    internal static async Task<OrderedResult> OrderedAsync(this JournalFile file, OrderedRequest request, int maxRows = 10_000) =>
        (await file.Database().OrderedAsync(Of(file.Tables.TagMode, maxRows, request)))[0];

    internal static async Task<IReadOnlyList<OrderedResult>> OrderedAsync(this SqliteDatabase database, OrderedRows rows)
    {
        await database.ReadOrderedAsync(rows, CancellationToken.None);
        rows.Complete();
        return rows.Results;
    }

    /// <summary>Reads page after page, as a feed does.</summary>
    internal static async Task<List<JournalEvent>> ByPagesAsync(this JournalFile file, OrderedRequest request, int maxRows)
    {
        var database = file.Database();
        List<JournalEvent> all = [];
        OrderedResult result;
        do
        {
            result = (await database.OrderedAsync(Of(file.Tables.TagMode, maxRows, request)))[0];
            all.AddRange(result.Events());
            request = request with { After = result.UpTo };
        }
        while (result.MayHaveMore);
        return all;
    }

    internal static List<JournalEvent> Events(this OrderedResult result) => Make.Items(result.Page);

    internal static IEnumerable<long> Orderings(this OrderedResult result) => result.Events().Select(each => each.Ordering);
}
