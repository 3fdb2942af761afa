namespace Throttled.Tool.Tail;

/// <summary>Writes the position of the last printed item: within a second, at most once per second, and at the end.</summary>
internal sealed class PositionKeeper(ResumeFile file, TimeProvider clock)
{
    private static readonly TimeSpan Pace = TimeSpan.FromSeconds(1);

    private long _written = clock.GetTimestamp();
    private long? _unwritten;

    /// <summary>The time until the position may be written; null if there is none to write.</summary>
    internal TimeSpan? Due => _unwritten is null ? null
        : clock.GetElapsedTime(_written) is var elapsed && elapsed < Pace ? Pace - elapsed : TimeSpan.Zero;

    /// <summary>Records that all items up to a position were printed.</summary>
    internal void Printed(long position)
    {
        _unwritten = position;
        if (Due == TimeSpan.Zero)
            Write();
    }

    /// <summary>Writes the position when it is due, unless another item comes before; then the write may wait for the next print.</summary>
    internal async Task WriteWhileWaitingAsync(Task coming)
    {
        if (Due is not { } due)
            return;
        using var come = new CancellationTokenSource();
        await Task.WhenAny(coming, Task.Delay(due, clock, come.Token));
        await come.CancelAsync();
        // A delay is cut to whole milliseconds and may end before the write is due. There is no second delay, so write now.
        if (!coming.IsCompleted)
            Write();
    }

    internal void Write()
    {
        if (_unwritten is not { } position)
            return;
        // Cleared even if the write fails, so that the same error is reported only once.
        _unwritten = null;
        _written = clock.GetTimestamp();
        file.Write(position);
    }
}
