namespace Throttled.Journal.Ordering;

/// <summary>The transactions that were open when something was seen, as far as they are still open.</summary>
internal sealed class OpenTransactions(IReadOnlySet<string> openTransactions)
{
    // PostgreSQL names a prepared transaction -1/…, no longer by the session that began it.
    private const string Prepared = "-1/";

    private readonly HashSet<string> _open = [.. openTransactions];

    internal bool IsEmpty => _open.Count == 0;

    internal IReadOnlySet<string> Open => _open;

    /// <summary>Crosses out who has ended.</summary>
    /// <param name="now">Who is open now.</param>
    /// <returns>Whether nobody is left.</returns>
    internal bool EndedBy(IReadOnlySet<string> now)
    {
        var before = _open.Count;
        _open.IntersectWith(now);
        // One that vanished may have been prepared: it lives on under a new name that nobody can trace. Any prepared one
        // that is there now may be it.
        if (_open.Count < before)
            _open.UnionWith(now.Where(holder => holder.StartsWith(Prepared, StringComparison.Ordinal)));
        return IsEmpty;
    }
}
