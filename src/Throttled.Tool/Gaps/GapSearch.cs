using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Tool.Gaps;

/// <summary>Searches the end of a journal for gaps, by the statements of the engine's poll.</summary>
internal sealed class GapSearch(IJournalDatabase database, int orderings)
{
    private static readonly IReadOnlySet<string> NoTransactions = new HashSet<string>();

    internal async Task<JournalView> ReadAsync(CancellationToken cancellation)
    {
        // Statements run only on a server that was probed.
        database.Accept(await database.ProbeAsync(cancellation));
        var last = (await database.ReadStartAsync(cancellation)).Last?.Ordering ?? 0;
        var from = Math.Max(1, last - orderings + 1);
        var request = new KeysRequest(from, [], orderings);
        var first = await database.ReadKeysAsync(request with { WithOpenTransactions = true }, cancellation);
        var described = await DescribeAsync(first.OpenTransactions ?? NoTransactions, cancellation);
        // A transaction that ended until here shows its events in this read.
        var second = await database.ReadKeysAsync(request with { WithOpenTransactions = true }, cancellation);
        var end = first.Above.Count > 0 ? first.Above[^1].Ordering : last;
        return JournalView.Of(from, end, second.Above.Select(key => key.Ordering), Described(described, second.OpenTransactions));
    }

    private async Task<IReadOnlyDictionary<string, string?>> DescribeAsync(IReadOnlySet<string> open, CancellationToken cancellation)
    {
        Dictionary<string, string?> described = [];
        foreach (var transaction in open)
            described[transaction] = await database.DescribeOldestAsync(new HashSet<string> { transaction }, cancellation);
        return described;
    }

    // A standby reports that something may be open on its primary, but does not describe it.
    private static IReadOnlyList<string>? Described(IReadOnlyDictionary<string, string?> described, IReadOnlySet<string>? openStill)
    {
        if (openStill is null)
            return null;
        var open = described.Where(each => openStill.Contains(each.Key)).Select(each => each.Value).ToList();
        return open.Contains(null) ? null : [.. open.OfType<string>()];
    }
}
