using System.Globalization;

namespace Throttled.Journal.Sharding.Moving;

/// <summary>Says from time to time how far the reading of a table is.</summary>
internal sealed class RowProgress(string what, long all, Action<string> say, TimeProvider clock)
{
    private const int RowsBetweenLooks = 100_000;
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(5);

    private readonly long _start = clock.GetTimestamp();
    private TimeSpan _said;
    private long _rows;

    internal void Count()
    {
        if (++_rows % RowsBetweenLooks == 0 && clock.GetElapsedTime(_start) is var elapsed && elapsed - _said >= Interval)
            Say(elapsed);
    }

    private void Say(TimeSpan elapsed)
    {
        _said = elapsed;
        say(string.Create(CultureInfo.InvariantCulture, $"{what}: {_rows:N0} of {all:N0} rows, {_rows / elapsed.TotalSeconds:N0} a second"));
    }
}
