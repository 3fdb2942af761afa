namespace Throttled.Tool.Tail;

/// <summary>Writes the position of what was printed, within a second, once a second at most, and at the end.</summary>
internal sealed class PositionKeeper(ResumeFile file, TimeProvider clock)
{
    private static readonly TimeSpan Pace = TimeSpan.FromSeconds(1);

    private long _written = clock.GetTimestamp();
    private long? _unwritten;

    /// <summary>How long until the position may be written; null where there is none to write.</summary>
    internal TimeSpan? Due => _unwritten is null ? null
        : clock.GetElapsedTime(_written) is var elapsed && elapsed < Pace ? Pace - elapsed : TimeSpan.Zero;

    /// <summary>All up to here was printed.</summary>
    internal void Printed(long position)
    {
        _unwritten = position;
        if (Due == TimeSpan.Zero)
            Write();
    }

    /// <summary>Writes the position when it is due, unless something comes before: then it may wait for what is printed next.</summary>
    internal async Task WriteWhileWaitingAsync(Task coming)
    {
        if (Due is not { } due)
            return;
        using var come = new CancellationTokenSource();
        await Task.WhenAny(coming, Task.Delay(due, clock, come.Token));
        await come.CancelAsync();
        // A delay is cut to whole milliseconds and may end before it is due; there is no second one.
        if (!coming.IsCompleted)
            Write();
    }

    /// <summary>Writes what was not written yet.</summary>
    internal void Write()
    {
        if (_unwritten is not { } position)
            return;
        // Also where it fails: an error is said once.
        _unwritten = null;
        _written = clock.GetTimestamp();
        file.Write(position);
    }
}
