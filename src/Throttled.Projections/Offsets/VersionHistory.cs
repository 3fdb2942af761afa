using System.Globalization;

namespace Throttled.Projections.Offsets;

/// <summary>
/// What is history for a version: in each slice, the events up to an ordering. Slices without a row have no history. The text stays valid when a shard is
/// divided, because events keep their orderings. Pure.
/// </summary>
internal sealed record VersionHistory(string Version, IReadOnlyList<SliceOffset> Ends)
{
    /// <summary>The ordering of slices whose shard could not be read when the version was created. Above all others, so nothing can lower it by mistake.</summary>
    internal const long Unknown = long.MaxValue;

    /// <summary>Without history.</summary>
    internal VersionHistory(string version)
        : this(version, [])
    {
    }

    /// <summary>Reads <see cref="Text"/>; null is no history.</summary>
    internal static VersionHistory Parse(string version, string? text) =>
        new(version, text is null ? [] : [.. text.Split(',', StringSplitOptions.RemoveEmptyEntries).Select(Row)]);

    /// <summary>As in <c>0-511:1042,512-1023:77</c>.</summary>
    internal string Text => string.Join(',', Ends.Select(row => FormattableString.Invariant($"{row.Slices}:{row.Ordering}")));

    /// <summary>A lane waits until its part is known.</summary>
    internal bool IsKnown => Ends.All(row => row.Ordering != Unknown);

    internal bool Has(JournalEvent stored)
    {
        // A lane usually has one row, and then the event is in it.
        if (Ends.Count == 1)
            return stored.Ordering <= Ends[0].Ordering;
        return Ends.Count > 0 && Ends.Any(row => stored.Ordering <= row.Ordering && row.Slices.Contains(JournalSlices.Of(stored.PersistenceId)));
    }

    /// <summary>The history of a lane.</summary>
    internal VersionHistory Within(SliceRange lane) => this with { Ends = LaneSlices.Merge([.. LaneSlices.Within(Ends, lane)]) };

    /// <summary>The history after some events were handled, too: in each slice, the higher of both orderings.</summary>
    internal VersionHistory After(IReadOnlyList<SliceOffset> handled)
    {
        List<SliceOffset> all = [.. Ends, .. handled];
        return this with
        {
            Ends = LaneSlices.Merge([.. from piece in Pieces(all.Select(row => row.Slices))
                                        let rows = LaneSlices.Within(all, piece).ToList()
                                        where rows.Count > 0
                                        select new SliceOffset(piece, rows.Max(row => row.Ordering), 0)]),
        };
    }

    /// <summary>The history once the end of a shard is known. What was known before stays.</summary>
    internal VersionHistory EndingAt(SliceRange shard, long end) => this with
    {
        Ends = LaneSlices.Merge([.. from piece in Pieces([.. Ends.Select(row => row.Slices), shard])
                                    from row in LaneSlices.Within(Ends, piece)
                                    select row.Ordering == Unknown && shard.Contains(piece.First) ? row with { Ordering = end } : row]),
    };

    // The parts into which the beginnings and ends of all ranges divide the slices.
    private static IEnumerable<SliceRange> Pieces(IEnumerable<SliceRange> ranges)
    {
        int[] firsts = [.. ranges.SelectMany(range => new[] { range.First, range.Last + 1 }).Distinct().Order()];
        return firsts.Zip(firsts.Skip(1), (first, next) => new SliceRange(first, next - 1));
    }

    private static SliceOffset Row(string text)
    {
        var numbers = text.Split('-', ':').Select(number => long.Parse(number, CultureInfo.InvariantCulture)).ToArray();
        return new(new((int)numbers[0], (int)numbers[1]), numbers[2], 0);
    }
}
