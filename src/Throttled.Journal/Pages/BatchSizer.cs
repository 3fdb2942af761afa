namespace Throttled.Journal.Pages;

/// <summary>
/// How many requests share a statement: enough that all free permits have work, no more than it may serve, and no more than
/// are likely to fill it. A statement's rows are in memory together until it ends; many of them at once outlive the cheap
/// collections, and then collecting costs more than reading.
/// </summary>
/// <param name="most">Members at most.</param>
internal sealed class BatchSizer(int most)
{
    /// <summary>Beyond so many rows, a statement's own cost is a few hundredths of theirs.</summary>
    private const int FullAt = 2_000;

    // How much the last statement counts against all before it.
    private const double Weight = 0.1;

    private double _rowsPerMember;

    /// <param name="waiting">Who waits; at least one.</param>
    /// <param name="free">Permits that are free, this one included; at least one.</param>
    internal int SizeFor(int waiting, int free)
    {
        var spread = (waiting + free - 1) / free;
        var full = (int)Math.Ceiling(FullAt / Math.Max(1, _rowsPerMember));
        return Math.Min(spread, Math.Min(full, most));
    }

    /// <summary>A statement read so many rows for so many members.</summary>
    internal void Record(int rows, int members)
    {
        if (members > 0)
            _rowsPerMember += Weight * (((double)rows / members) - _rowsPerMember);
    }
}
