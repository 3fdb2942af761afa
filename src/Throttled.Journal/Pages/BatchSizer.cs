namespace Throttled.Journal.Pages;

/// <summary>
/// How many requests share a statement: few enough to give all free permits work, at most the configured number, and at most as many as are likely to
/// fill it. A statement's rows are in memory together until it ends. Too many rows at once survive the cheap garbage collections, and then collecting
/// costs more than reading.
/// </summary>
internal sealed class BatchSizer(int most)
{
    /// <summary>Above this number of rows, the fixed cost of a statement is a few hundredths of their cost.</summary>
    private const int FullAt = 2_000;

    // The weight of the last statement in the moving average.
    private const double Weight = 0.1;

    private double _rowsPerMember;

    /// <param name="waiting">The number of waiting requests; at least one.</param>
    /// <param name="free">The number of free permits including this one; at least one.</param>
    internal int SizeFor(int waiting, int free)
    {
        var spread = (waiting + free - 1) / free;
        var full = (int)Math.Ceiling(FullAt / Math.Max(1, _rowsPerMember));
        return Math.Min(spread, Math.Min(full, most));
    }

    internal void Record(int rows, int members)
    {
        if (members > 0)
            _rowsPerMember += Weight * (((double)rows / members) - _rowsPerMember);
    }
}
