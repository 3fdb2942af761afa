namespace Throttled.Journal.Rows;

/// <summary>The request of one member of an ordered batch: the first matching events after a position.</summary>
/// <param name="Filter">The wanted events.</param>
/// <param name="After">The position: the ordering after which the member continues.</param>
/// <param name="UpTo">The highest ordering that may be read; the order above it may not be settled.</param>
/// <param name="Limit">The most events to read.</param>
internal readonly record struct OrderedRequest(EventFilter Filter, long After, long UpTo, int Limit)
{
    /// <summary>Whether reading stops at the first missing ordering.</summary>
    internal bool StopsAtGap { get; init; }
}

/// <summary>The result of one member.</summary>
/// <param name="Page">The events; null if there are none.</param>
/// <param name="UpTo">The ordering up to which the member has read, even if there were no rows.</param>
/// <param name="MayHaveMore">Whether there may be more events up to the member's limit.</param>
internal readonly record struct OrderedResult(Page<JournalEvent>? Page, long UpTo, bool MayHaveMore)
{
    /// <summary>The most events that the page could have. Lower than requested if a larger page has timed out.</summary>
    internal int Limit { get; init; }

    /// <summary>Whether reading stopped because the next ordering is missing.</summary>
    internal bool StoppedAtGap { get; init; }
}

/// <summary>The limits of one statement in journal order.</summary>
/// <param name="MaxRows">The most rows.</param>
/// <param name="Window">The most orderings after its position.</param>
/// <param name="TagsComeLater">Whether the database selects the rows by tag, and the tags of the rows are read after the rows were added.</param>
internal readonly record struct OrderedLimits(int MaxRows, long Window, bool TagsComeLater);

/// <summary>The events that a query in journal order wants.</summary>
internal sealed record EventFilter
{
    /// <summary>All events.</summary>
    internal static EventFilter All { get; } = new();

    /// <summary>Only events with this tag, compared ordinally; null for all.</summary>
    internal string? Tag { get; init; }

    /// <summary>Only events whose persistence id is in these slices.</summary>
    internal SliceRange Slices { get; init; } = SliceRange.All;

    internal bool IsAll => Tag is null && Slices == SliceRange.All;

    internal bool Matches(int slice, IReadOnlyList<string> tags) => Slices.Contains(slice) && (Tag is null || tags.Contains(Tag, StringComparer.Ordinal));

    /// <summary>What the query reads, for use inside a sentence.</summary>
    public override string ToString() => (Tag, Slices == SliceRange.All) switch
    {
        ({ } tag, _) => $"the events with the tag '{tag}'",
        (null, true) => "all events",
        _ => FormattableString.Invariant($"the events of the slices {Slices.First} to {Slices.Last}"),
    };
}
