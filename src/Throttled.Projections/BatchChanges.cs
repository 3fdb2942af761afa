namespace Throttled.Projections;

/// <summary>What the events of a batch change, one change for each key, while <see cref="ProjectionBatch.Fold{TKey, TChange}"/> makes them.</summary>
/// <typeparam name="TKey">What a row is found by: one value, or a record or tuple of several.</typeparam>
/// <typeparam name="TChange">All that the batch does to the row of a key.</typeparam>
public sealed class BatchChanges<TKey, TChange>
    where TKey : notnull
{
    private readonly Dictionary<TKey, TChange> _changes = [];
    private readonly Func<TKey, TChange> _first;

    internal BatchChanges(Func<TKey, TChange> first) => _first = first;

    /// <summary>Whether a key was asked for since this was set to false.</summary>
    internal bool IsAsked { get; set; }

    /// <summary>
    /// A key's change, made when it is asked for the first time. A class is changed in place, which costs nothing for each event; a value is set
    /// again.
    /// </summary>
    /// <param name="key">The key.</param>
    public TChange this[TKey key]
    {
        get
        {
            IsAsked = true;
            return _changes.TryGetValue(key, out var change) ? change : _changes[key] = _first(key);
        }
        set
        {
            IsAsked = true;
            _changes[key] = value;
        }
    }

    internal IReadOnlyCollection<TChange> All => _changes.Values;
}
