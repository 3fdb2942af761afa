namespace Throttled.Testing;

/// <summary>
/// A summary of a stream's items, in a few bytes. If the folds of two streams are equal, the streams got the same items the
/// same number of times, and events in the same order.
/// </summary>
internal struct Fold
{
    private long _last;

    internal long Count { get; private set; }

    internal long Hash { get; private set; }

    /// <returns>Whether the ordering is above that of the event before.</returns>
    internal bool Add(long ordering)
    {
        var isInOrder = ordering > _last;
        _last = ordering;
        Count++;
        Hash = (Hash * 31) + ordering;
        return isInOrder;
    }

    /// <summary>Adds a persistence id. Ids have no order.</summary>
    internal void Add(string persistenceId)
    {
        Count++;
        // A sum of cubes, because a plain sum could be equal if one id is missing and another comes twice.
        var hash = (long)persistenceId.GetHashCode(StringComparison.Ordinal);
        Hash += hash * hash * hash;
    }

    internal readonly bool IsEqual(Fold other) => Count == other.Count && Hash == other.Hash;

    public override readonly string ToString() => $"{Count} items up to {_last}";
}
