using System.Globalization;

namespace Throttled.Journal;

/// <summary>
/// Assigns each of the 1,024 slices (<see cref="JournalSlices"/>) to one shard of a journal. Each shard has one range. The map is stored with the
/// data; it can change only if the events are moved.
/// </summary>
public sealed class ShardMap : IEquatable<ShardMap>
{
    private readonly SliceRange[] _ranges;
    private readonly short[] _shardOf = new short[JournalSlices.Count];
    private readonly string _text;

    private ShardMap(SliceRange[] ranges)
    {
        _ranges = ranges;
        _text = string.Join(',', ranges);
        Assign();
    }

    /// <summary>The number of shards, from 1 to 1,024. They are numbered from 0.</summary>
    public int Count => _ranges.Length;

    internal SliceRange this[int shard] => _ranges[shard];

    /// <summary>Divides the slices evenly and in order. With four shards, the first has 0-255.</summary>
    /// <param name="shards">The number of shards, from 1 to 1,024.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number is out of range.</exception>
    public static ShardMap Even(int shards)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(shards, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(shards, JournalSlices.Count);
        return new([.. Enumerable.Range(0, shards).Select(shard => new SliceRange(Begin(shard, shards), Begin(shard + 1, shards) - 1))]);
    }

    /// <summary>Parses the ranges of the shards in their order, both ends included: <c>0-255,256-1023</c>.</summary>
    /// <param name="slices">The ranges. A range of one slice may be written as one number.</param>
    /// <exception cref="ArgumentException">
    /// A range cannot be parsed or is empty, a slice has no shard or two shards, or there are no ranges. The message names the slice.
    /// </exception>
    public static ShardMap Parse(string slices)
    {
        ArgumentNullException.ThrowIfNull(slices);
        return new([.. slices.Split(',', StringSplitOptions.TrimEntries).Select(Range)]);
    }

    /// <summary>The shard that has the events of a persistence id, from 0.</summary>
    /// <param name="persistenceId">The id.</param>
    /// <exception cref="ArgumentNullException">The id is null.</exception>
    public int ShardOf(string persistenceId) => ShardOf(JournalSlices.Of(persistenceId));

    /// <summary>Whether another map has the same ranges.</summary>
    /// <param name="other">The other map.</param>
    public bool Equals(ShardMap? other) => other is not null && _text == other._text;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as ShardMap);

    /// <inheritdoc/>
    public override int GetHashCode() => _text.GetHashCode(StringComparison.Ordinal);

    /// <summary>The ranges, in the format of <see cref="Parse"/>.</summary>
    public override string ToString() => _text;

    internal int ShardOf(int slice) => _shardOf[slice];

    /// <summary>The shards that own at least one of the slices, in order.</summary>
    internal IEnumerable<int> ShardsOf(SliceRange slices) =>
        Enumerable.Range(0, Count).Where(shard => _ranges[shard].First <= slices.Last && slices.First <= _ranges[shard].Last);

    private static int Begin(int shard, int shards) => shard * JournalSlices.Count / shards;

    private static SliceRange Range(string text)
    {
        var ends = text.Split('-', 2);
        if (!Slice(ends[0], out var first) || !Slice(ends[^1], out var last))
            throw new ArgumentException(FormattableString.Invariant(
                $"The slices of a shard are \"{text}\"; they must be a range from 0 to {JournalSlices.Count - 1}, like 0-255."));
        if (last < first)
            throw new ArgumentException($"The slices of a shard are \"{text}\"; the first must not be above the last.");
        return new(first, last);
    }

    private static bool Slice(string text, out int slice) =>
        int.TryParse(text, NumberStyles.AllowLeadingWhite | NumberStyles.AllowTrailingWhite, CultureInfo.InvariantCulture, out slice)
        && slice < JournalSlices.Count;

    private void Assign()
    {
        Array.Fill(_shardOf, (short)-1);
        for (var shard = 0; shard < Count; shard++)
        {
            for (var slice = _ranges[shard].First; slice <= _ranges[shard].Last; slice++)
            {
                if (_shardOf[slice] >= 0)
                    throw Refused(FormattableString.Invariant($"slice {slice} is in the shards {_shardOf[slice]} and {shard}"));
                _shardOf[slice] = (short)shard;
            }
        }
        var hole = Array.IndexOf(_shardOf, (short)-1);
        if (hole >= 0)
            throw Refused(FormattableString.Invariant($"slice {hole} is in no shard"));
    }

    private ArgumentException Refused(string fault) => new(FormattableString.Invariant(
        $"The slices of the shards are \"{_text}\": {fault}. Each slice from 0 to {JournalSlices.Count - 1} must be in exactly one."));
}

/// <summary>One shard of a journal.</summary>
/// <param name="Map">The map of the journal.</param>
/// <param name="Shard">The number of the shard, from 0.</param>
internal sealed record ShardIdentity(ShardMap Map, int Shard)
{
    internal SliceRange Slices => Map[Shard];

    /// <summary>Whether the journal has several shards. A single shard needs no name in messages, and no mark.</summary>
    internal bool IsOneOfSeveral => Map.Count > 1;

    /// <summary>The beginning of the shard's messages; empty if it is the only shard.</summary>
    internal static string PrefixOf(ShardIdentity? identity) =>
        identity is { IsOneOfSeveral: true } ? FormattableString.Invariant($"Shard {identity.Shard} (slices {identity.Slices}): ") : "";

    public override string ToString() => FormattableString.Invariant($"shard {Shard} of \"{Map}\"");
}
