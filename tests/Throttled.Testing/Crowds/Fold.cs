namespace Throttled.Testing;

/// <summary>
/// What a stream got, in a few bytes: two streams with equal folds got the same items, as often, and events in the same order.
/// </summary>
internal struct Fold
{
    private long _last;

    internal long Count { get; private set; }

    internal long Hash { get; private set; }

    /// <summary>Adds an event.</summary>
    /// <returns>Whether it stands behind those before it in the journal.</returns>
    internal bool Add(long ordering)
    {
        var isInOrder = ordering > _last;
        _last = ordering;
        Count++;
        Hash = (Hash * 31) + ordering;
        return isInOrder;
    }

    /// <summary>Adds a persistence id. They have no order.</summary>
    internal void Add(string persistenceId)
    {
        Count++;
        // A sum of cubes, so that a missing id and another that came twice do not weigh the same.
        var hash = (long)persistenceId.GetHashCode(StringComparison.Ordinal);
        Hash += hash * hash * hash;
    }

    internal readonly bool IsEqual(Fold other) => Count == other.Count && Hash == other.Hash;

    public override readonly string ToString() => $"{Count} items up to {_last}";
}
