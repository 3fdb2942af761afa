using Throttled.Journal.Rows;

namespace Throttled.Journal.Queries;

/// <summary>How many rows the next page of a query in journal order has. Full pages grow: each statement has a fixed cost.</summary>
internal static class PageGrowth
{
    // Little compared with the byte budget. Larger pages are not faster: their rows outlive the cheap garbage collections (decision 45).
    private const long LargePage = 2 * 1024 * 1024;

    // Longer arrays would be on the large object heap, which only expensive garbage collections clear.
    private const int MostRows = 8192;

    internal static int After(int size, OrderedResult result, JournalOptions options)
    {
        var next = !result.MayHaveMore ? options.MaxBufferSize
            : result.Page?.Bytes > LargePage ? size / 2
            : result.Page?.Count >= size && result.Page.Bytes < LargePage / 2 ? 2 * size
            : size;
        return Math.Max(options.MaxBufferSize, Math.Min(next, Math.Min(options.MaxRowsPerStatement, MostRows)));
    }
}
