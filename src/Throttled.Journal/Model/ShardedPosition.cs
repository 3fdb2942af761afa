using System.Globalization;

namespace Throttled.Journal;

/// <summary>
/// How far a sharded journal was read: one ordering per shard, because each shard numbers its own events. Store its text together with the results of
/// your processing, and continue reading from it. Immutable.
/// </summary>
public sealed class ShardedPosition : IEquatable<ShardedPosition>
{
    // A page has events of one shard only. All positions within a page share the orderings of the other shards.
    private readonly long[] _orderings;
    private readonly int _shard;
    private readonly long _ordering;

    private ShardedPosition(ShardMap map, long[] orderings, int shard, long ordering)
    {
        (Map, _orderings, _shard, _ordering) = (map, orderings, shard, ordering);
    }

    private ShardedPosition(ShardMap map, long[] orderings)
        : this(map, orderings, 0, orderings[0])
    {
    }

    /// <summary>The map whose shards this position has orderings for.</summary>
    public ShardMap Map { get; }

    /// <summary>The ordering after which reading of a shard continues; 0 for its first event.</summary>
    /// <param name="shard">The shard, from 0.</param>
    /// <exception cref="IndexOutOfRangeException">There is no such shard.</exception>
    public long this[int shard] => shard == _shard ? _ordering : _orderings[shard];

    /// <summary>
    /// Returns a position with the same ordering in each shard. Use 0, the default, for the first event. Use another ordering if it was stored for an
    /// unsharded journal whose events were then divided among shards with their orderings kept.
    /// </summary>
    /// <param name="map">The map.</param>
    /// <param name="ordering">The ordering; at least 0.</param>
    /// <exception cref="ArgumentOutOfRangeException">The ordering is negative.</exception>
    public static ShardedPosition At(ShardMap map, long ordering = 0)
    {
        ArgumentNullException.ThrowIfNull(map);
        ArgumentOutOfRangeException.ThrowIfNegative(ordering);
        var orderings = new long[map.Count];
        Array.Fill(orderings, ordering);
        return new(map, orderings);
    }

    /// <summary>Parses the result of <see cref="ToString"/>.</summary>
    /// <param name="text">The text: <c>0-511:1042,512-1023:77</c>.</param>
    /// <exception cref="FormatException">The text is not a position.</exception>
    public static ShardedPosition Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var parts = text.Trim().Split(',').Select(part => part.Split(':')).ToList();
        var orderings = new long[parts.Count];
        for (var i = 0; i < orderings.Length; i++)
        {
            if (parts[i].Length != 2 || !long.TryParse(parts[i][1], NumberStyles.None, CultureInfo.InvariantCulture, out orderings[i]))
                throw Unreadable(text, null);
        }
        try
        {
            return new(ShardMap.Parse(string.Join(',', parts.Select(part => part[0]))), orderings);
        }
        catch (ArgumentException error)
        {
            throw Unreadable(text, error);
        }
    }

    /// <summary>
    /// The position after an event: the ordering of its shard advances, the others stay the same. An event before this position changes nothing.
    /// </summary>
    /// <param name="stored">The event, as read from the journal.</param>
    public ShardedPosition After(JournalEvent stored)
    {
        ArgumentNullException.ThrowIfNull(stored);
        var shard = Map.ShardOf(stored.PersistenceId);
        if (stored.Ordering <= this[shard])
            return this;
        return new(Map, shard == _shard ? _orderings : ToArray(), shard, stored.Ordering);
    }

    /// <summary>
    /// Compares two positions of one map. Below 0 if this position is behind the other in some shards and ahead in none; 0 if they are equal; above 0
    /// if it is ahead in some shards and behind in none. Null if each is ahead in some shard, or if their maps differ.
    /// </summary>
    /// <param name="other">The other position.</param>
    public int? CompareWith(ShardedPosition other)
    {
        ArgumentNullException.ThrowIfNull(other);
        if (!Map.Equals(other.Map))
            return null;
        var (isBehind, isAhead) = (false, false);
        for (var shard = 0; shard < Map.Count; shard++)
        {
            isBehind |= this[shard] < other[shard];
            isAhead |= this[shard] > other[shard];
        }
        return isBehind && isAhead ? null : isAhead.CompareTo(isBehind);
    }

    /// <summary>Whether another position is equal.</summary>
    /// <param name="other">The other position.</param>
    public bool Equals(ShardedPosition? other) => other is not null && CompareWith(other) == 0;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as ShardedPosition);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        var hash = default(HashCode);
        for (var shard = 0; shard < Map.Count; shard++)
            hash.Add(this[shard]);
        return hash.ToHashCode();
    }

    /// <summary>The slices and the ordering of each shard: <c>0-511:1042,512-1023:77</c>.</summary>
    public override string ToString() => string.Join(
        ',', Enumerable.Range(0, Map.Count).Select(shard => FormattableString.Invariant($"{Map[shard]}:{this[shard]}")));

    /// <summary>
    /// The same position for a journal with another map. Each of its shards must be part of one shard of this map: events keep their orderings when a
    /// shard is divided.
    /// </summary>
    /// <exception cref="ArgumentException">A shard of the new map has slices of several shards of this map.</exception>
    internal ShardedPosition On(ShardMap map) =>
        Map.Equals(map) ? this : new(map, [.. Enumerable.Range(0, map.Count).Select(shard => OrderingOf(map[shard], map))]);

    private long OrderingOf(SliceRange slices, ShardMap map)
    {
        var shard = Map.ShardOf(slices.First);
        return slices.Last <= Map[shard].Last
            ? this[shard]
            : throw new ArgumentException(
                $"The position has the shards \"{Map}\", but the journal has \"{map}\". The journal's shard {slices} has events of several shards of the position. "
                + "Begin at the start, or open the journal with the shards of the position.");
    }

    private long[] ToArray()
    {
        var orderings = (long[])_orderings.Clone();
        orderings[_shard] = _ordering;
        return orderings;
    }

    private static FormatException Unreadable(string text, Exception? inner) => new(
        $"\"{text}\" is no position of a sharded journal; it must be like 0-511:1042,512-1023:77, and name each slice once. {inner?.Message}".TrimEnd(), inner);
}
