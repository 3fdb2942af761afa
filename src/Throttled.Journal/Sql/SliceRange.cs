namespace Throttled.Journal.Sql;

/// <summary>Slices, both ends included.</summary>
internal readonly record struct SliceRange(int First, int Last)
{
    internal static SliceRange All { get; } = new(0, JournalSlices.Count - 1);

    internal int Count => Last - First + 1;

    internal bool Contains(int slice) => First <= slice && slice <= Last;

    public override string ToString() => FormattableString.Invariant($"{First}-{Last}");
}
