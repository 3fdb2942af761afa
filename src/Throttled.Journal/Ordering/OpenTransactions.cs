namespace Throttled.Journal.Ordering;

/// <summary>The transactions that were open at some poll and are still open.</summary>
internal sealed class OpenTransactions(IReadOnlySet<string> openTransactions)
{
    // PostgreSQL names a prepared transaction -1/…, not after the session that began it.
    private const string Prepared = "-1/";

    private readonly HashSet<string> _open = [.. openTransactions];

    internal bool IsEmpty => _open.Count == 0;

    internal IReadOnlySet<string> Open => _open;

    /// <summary>Removes the transactions that have ended.</summary>
    /// <param name="now">The transactions that are open now.</param>
    /// <returns>Whether none is left.</returns>
    internal bool EndedBy(IReadOnlySet<string> now)
    {
        var before = _open.Count;
        _open.IntersectWith(now);
        // A transaction that disappeared may have been prepared. It is then still open under a new, unknown name. Any prepared transaction that is
        // open now may be it.
        if (_open.Count < before)
            _open.UnionWith(now.Where(each => each.StartsWith(Prepared, StringComparison.Ordinal)));
        return IsEmpty;
    }
}
