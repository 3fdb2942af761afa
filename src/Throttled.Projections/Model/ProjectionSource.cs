namespace Throttled.Projections;

/// <summary>Which events of the journal a projection handles.</summary>
public sealed record ProjectionSource
{
    private ProjectionSource()
    {
    }

    /// <summary>All events.</summary>
    public static ProjectionSource All { get; } = new();

    internal string? Tag { get; private init; }

    internal int FirstSlice { get; private init; }

    internal int LastSlice { get; private init; } = JournalSlices.Count - 1;

    internal bool IsAll => Tag is null && LastSlice - FirstSlice + 1 == JournalSlices.Count;

    /// <summary>The events with a tag.</summary>
    /// <param name="tag">The tag, compared ordinally.</param>
    /// <exception cref="ArgumentException">The tag is empty.</exception>
    public static ProjectionSource ByTag(string tag)
    {
        ArgumentException.ThrowIfNullOrEmpty(tag);
        return new() { Tag = tag };
    }

    /// <summary>The events whose persistence ids are in some slices.</summary>
    /// <param name="min">The first slice, from 0 to 1,023; see <see cref="JournalSlices"/>.</param>
    /// <param name="max">The last slice, included; from <paramref name="min"/> to 1,023.</param>
    /// <exception cref="ArgumentOutOfRangeException">A slice is out of its range, or <paramref name="max"/> is below <paramref name="min"/>.</exception>
    public static ProjectionSource BySlices(int min, int max)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(min);
        ArgumentOutOfRangeException.ThrowIfLessThan(max, min);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(max, JournalSlices.Count);
        return new() { FirstSlice = min, LastSlice = max };
    }

    /// <summary>The source as it is stored beside the offsets: <c>all</c>, <c>tag:name</c>, <c>slices:0-511</c>.</summary>
    public override string ToString() =>
        Tag is not null ? $"tag:{Tag}"
        : IsAll ? "all"
        : FormattableString.Invariant($"slices:{FirstSlice}-{LastSlice}");
}
