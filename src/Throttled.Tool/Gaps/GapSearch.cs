using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Tool.Gaps;

/// <summary>Searches the end of a journal for gaps, with the statements of the engine's poll.</summary>
internal sealed class GapSearch(IJournalDatabase database, int orderings)
{
    private static readonly IReadOnlySet<string> NoTransactions = new HashSet<string>();

    internal async Task<JournalView> ReadAsync(CancellationToken cancellation)
    {
        // Statements run only on the server whose probe was accepted.
        database.Accept(await database.ProbeAsync(cancellation));
        var start = await database.ReadStartAsync(cancellation);
        var last = start.Last?.Ordering ?? 0;
        var from = Math.Max(1, last - orderings + 1);
        var described = await DescribeAsync(start.OpenTransactions ?? NoTransactions, cancellation);
        // The keys are read last: a transaction that ended before shows its events there. Later events do not count, so the limit cuts off none that does.
        var openStill = (await database.ReadStartAsync(cancellation)).OpenTransactions;
        var keys = await database.ReadKeysAsync(new KeysRequest(from, [], orderings), cancellation);
        return JournalView.Of(from, last, keys.Above.Select(key => key.Ordering), start.OpenTransactions is null ? null : Described(described, openStill));
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
