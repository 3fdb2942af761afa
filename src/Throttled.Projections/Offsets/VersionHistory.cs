using System.Globalization;

namespace Throttled.Projections.Offsets;

/// <summary>
/// What is history for a version: in each slice, the events up to an ordering. Slices without a row have no history. The text stays valid when a shard is
/// divided, because events keep their orderings. Pure.
/// </summary>
internal sealed record VersionHistory(string Version, IReadOnlyList<SliceOffset> Ends)
{
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
        int[] firsts = [.. Ends.Concat(handled).SelectMany(row => new[] { row.Slices.First, row.Slices.Last + 1 }).Distinct().Order()];
        var pieces = firsts.Zip(firsts.Skip(1), (first, next) => new SliceRange(first, next - 1));
        return this with
        {
            Ends = LaneSlices.Merge([.. from piece in pieces
                                        let rows = LaneSlices.Within(Ends.Concat(handled), piece).ToList()
                                        where rows.Count > 0
                                        select new SliceOffset(piece, rows.Max(row => row.Ordering), 0)]),
        };
    }

    private static SliceOffset Row(string text)
    {
        var numbers = text.Split('-', ':').Select(number => long.Parse(number, CultureInfo.InvariantCulture)).ToArray();
        return new(new((int)numbers[0], (int)numbers[1]), numbers[2], 0);
    }
}
