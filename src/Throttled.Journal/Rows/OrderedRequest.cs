namespace Throttled.Journal.Rows;

/// <summary>The request of one member of an ordered batch: the first events behind a position that it wants.</summary>
/// <param name="Filter">Which.</param>
/// <param name="After">The position: the ordering behind which it reads on.</param>
/// <param name="UpTo">The last ordering that it may pass; what is above may still be out of order.</param>
/// <param name="Limit">How many events at most.</param>
internal readonly record struct OrderedRequest(EventFilter Filter, long After, long UpTo, int Limit)
{
    /// <summary>Whether it may pass an ordering only where the one before it is there too.</summary>
    internal bool StopsAtGap { get; init; }
}

/// <summary>What a statement found for one of its members.</summary>
/// <param name="Page">The events; null where there are none.</param>
/// <param name="UpTo">The ordering up to which the member has read now, whatever rows there were.</param>
/// <param name="MayHaveMore">Whether there may be more events up to where the member may read.</param>
internal readonly record struct OrderedResult(Page<JournalEvent>? Page, long UpTo, bool MayHaveMore)
{
    /// <summary>Whether it ended because the next ordering is missing.</summary>
    internal bool StoppedAtGap { get; init; }
}

/// <summary>How much one statement in journal order reads at most.</summary>
/// <param name="MaxRows">Rows.</param>
/// <param name="Window">Orderings behind its position.</param>
/// <param name="TagsComeLater">Whether the database knows by itself which rows have the tag, and the rows get theirs after they were added.</param>
internal readonly record struct OrderedLimits(int MaxRows, long Window, bool TagsComeLater);

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
