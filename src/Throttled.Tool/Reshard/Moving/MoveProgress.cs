using System.Globalization;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Reshard;

/// <summary>
/// The progress of a run: rows that are read from old databases, and rows that are read back from new ones. Thread-safe, because new databases are read
/// in parallel.
/// </summary>
/// <param name="say">Prints a line.</param>
/// <param name="bar">Shows the share that is done, from 0 to 1; null prints a line from time to time instead.</param>
/// <param name="clock">The clock.</param>
internal sealed class MoveProgress(Action<string> say, Action<double>? bar, TimeProvider clock)
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(5);

    private readonly Lock _lock = new();
    private readonly long _start = clock.GetTimestamp();
    private TimeSpan _said;
    private long _all;
    private long _done;

    internal void Say(string line) => say(line);

    /// <summary>Adds to the rows of the whole run. Call this for all tables before the first row is read, or the time left is wrong.</summary>
    internal void Expect(long rows)
    {
        lock (_lock)
            _all += rows;
    }

    /// <summary>Starts the progress of one table.</summary>
    internal RowProgress Of(string what, long rows) => new(this, what, rows);

    /// <param name="rows">How many rows were read since the last call.</param>
    /// <param name="state">Returns the progress of the table, as text.</param>
    internal void Add(long rows, Func<string> state)
    {
        string? line = null;
        lock (_lock)
        {
            _done += rows;
            var elapsed = clock.GetElapsedTime(_start);
            if (bar is not null)
                bar(Share);
            else if (elapsed - _said >= Interval)
                (_said, line) = (elapsed, $"{state()}; {Text(elapsed)}");
        }
        if (line is not null)
            say(line);
    }

    // If a table has more rows than were counted, the share stays at 100 %.
    private double Share => _all == 0 ? 1 : Math.Min(1, (double)_done / _all);

    private string Text(TimeSpan elapsed)
    {
        var rate = _done / elapsed.TotalSeconds;
        var left = rate > 0 && _done < _all ? $", {Pace.TimeLeft((_all - _done) / rate)} left" : "";
        return string.Create(CultureInfo.InvariantCulture, $"{Share * 100:N0} % of all, {rate:N0} rows a second{left}");
    }
}

/// <summary>The progress of reading one table. Not thread-safe.</summary>
internal sealed class RowProgress(MoveProgress whole, string what, long all)
{
    private const int RowsBetweenChecks = 10_000;

    private long _rows;

    internal void Count()
    {
        if (++_rows % RowsBetweenChecks == 0)
            whole.Add(RowsBetweenChecks, Text);
    }

    /// <summary>Adds the rows since the last check. Call this at the end of the table.</summary>
    internal void Complete() => whole.Add(_rows % RowsBetweenChecks, Text);

    private string Text() => string.Create(CultureInfo.InvariantCulture, $"{what}: {_rows:N0} of {all:N0} rows");
}
