namespace Throttled.Journal.Sql;

/// <summary>Which events a query in journal order wants.</summary>
internal sealed record EventFilter
{
    /// <summary>All of them.</summary>
    internal static EventFilter All { get; } = new();

    /// <summary>Those with this tag, compared ordinally; null for any.</summary>
    internal string? Tag { get; init; }

    /// <summary>Those whose persistence id is in these slices.</summary>
    internal SliceRange Slices { get; init; } = SliceRange.All;

    internal bool IsAll => Tag is null && Slices == SliceRange.All;

    /// <summary>Whether it wants an event of this slice, whose tags are known.</summary>
    internal bool Matches(int slice, IReadOnlyList<string> tags) =>
        Slices.Contains(slice) && (Tag is null || tags.Contains(Tag, StringComparer.Ordinal));

    /// <summary>What the query reads, for a sentence.</summary>
    public override string ToString() => (Tag, Slices == SliceRange.All) switch
    {
        ({ } tag, _) => $"the events with the tag '{tag}'",
        (null, true) => "all events",
        _ => FormattableString.Invariant($"the events of the slices {Slices.First} to {Slices.Last}"),
    };
}
