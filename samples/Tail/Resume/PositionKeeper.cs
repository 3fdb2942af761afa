namespace Tail.Resume;

/// <summary>Writes the position of what was printed, once a second at most while there is more and at the end.</summary>
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
        WriteIfDue();
    }

    internal void WriteIfDue()
    {
        if (Due == TimeSpan.Zero)
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
