namespace Throttled.Projections.Diagnostics;

/// <summary>
/// How long a read model has been behind: the time since this process first saw the journal end above the offset. So it compares no clocks of two
/// machines, and the first event after a quiet hour does not show a lag of one hour. It starts at 0 with the process. Thread-safe.
/// </summary>
internal sealed class LagHistory(TimeProvider clock)
{
    private const int Most = 512;

    private readonly Lock _lock = new();
    private List<(long End, long At)> _ends = [];
    private long _step;
    private long _offset;
    private long _movedAt = clock.GetTimestamp();

    /// <summary>Time since the journal end first passed the current offset; 0 if the read model has caught up.</summary>
    internal TimeSpan Time
    {
        get
        {
            lock (_lock)
                return _ends.Count == 0 ? TimeSpan.Zero : clock.GetElapsedTime(_ends[0].At);
        }
    }

    /// <summary>How long the read model has been behind at the same offset; 0 if it has caught up.</summary>
    internal TimeSpan SameFor
    {
        get
        {
            lock (_lock)
                return _ends.Count == 0 ? TimeSpan.Zero : clock.GetElapsedTime(_movedAt);
        }
    }

    internal void Observe(long offset, long journalEnd)
    {
        lock (_lock)
        {
            var now = clock.GetTimestamp();
            var wasBehind = _ends.Count > 0;
            _ends.RemoveAll(seen => seen.End <= offset);
            if (journalEnd > offset && (_ends.Count == 0 || (_ends[^1].End < journalEnd && now - _ends[^1].At >= _step)))
                _ends.Add((journalEnd, now));
            if (offset != _offset || !wasBehind)
                (_offset, _movedAt) = (offset, now);
            _step = _ends.Count == 0 ? 0 : _step;
            // A long history drops every second entry, and then adds entries half as often. The time may then be a little too short.
            if (_ends.Count > Most)
                (_ends, _step) = ([.. _ends.Where((_, index) => index % 2 == 0)], (now - _ends[0].At) / (Most / 2));
        }
    }
}
