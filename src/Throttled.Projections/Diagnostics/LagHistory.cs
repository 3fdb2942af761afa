namespace Throttled.Projections.Diagnostics;

/// <summary>
/// How long a read model has been behind in one shard: the time since this process first saw the journal end above the offset. So it compares no clocks of two
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
            // An end that was seen may be above the current one: the journal may be another one now.
            _ends.RemoveAll(seen => seen.End <= offset || journalEnd <= offset);
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

    /// <summary>The offset is not known any more. If it is known again, the lag begins anew.</summary>
    internal void Forget()
    {
        lock (_lock)
        {
            _ends.Clear();
            _step = 0;
        }
    }
}

/// <summary>
/// How long a read model has been behind, over all shards: the longest time of a shard. A sum of offsets would hide a shard that is stuck beside a busy
/// one. Thread-safe.
/// </summary>
internal sealed class ShardLags(TimeProvider clock, int shards)
{
    private readonly LagHistory[] _shards = [.. Enumerable.Range(0, shards).Select(_ => new LagHistory(clock))];

    /// <summary>Time since the journal end of a shard first passed its offset; 0 if the read model has caught up.</summary>
    internal TimeSpan Time => _shards.Max(shard => shard.Time);

    /// <summary>How long the read model has been behind at the same offset of a shard; 0 if it has caught up.</summary>
    internal TimeSpan SameFor => _shards.Max(shard => shard.SameFor);

    /// <param name="shards">The offset and the journal end of each shard; null for a shard of which no lane runs here.</param>
    internal void Observe(IEnumerable<(long Offset, long JournalEnd)?> shards)
    {
        foreach (var (history, shard) in _shards.Zip(shards))
        {
            if (shard is { } seen)
                history.Observe(seen.Offset, seen.JournalEnd);
            else
                history.Forget();
        }
    }
}
