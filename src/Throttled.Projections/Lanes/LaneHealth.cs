namespace Throttled.Projections.Lanes;

/// <summary>The state of a lane. A failed lane stays failed, even if faults of the store and the journal come and go. Thread-safe.</summary>
internal sealed class LaneHealth
{
    // Marks a missing timestamp; a real one may be 0.
    private const long None = long.MinValue;

    private readonly Lock _lock = new();
    private bool _isOpen;
    private string? _failure;
    private string? _storeFault;
    private string? _journalFault;
    private string? _wait;
    private long _handled;
    private long _offset;
    private long _inHandSince = None;

    internal (LaneState State, string? Error) State
    {
        get
        {
            lock (_lock)
            {
                return _failure is not null ? (LaneState.Failed, _failure)
                    : (_storeFault ?? _journalFault ?? _wait) is { } fault ? (LaneState.Retrying, fault)
                    : (_isOpen ? LaneState.Running : LaneState.Idle, null);
            }
        }
    }

    internal long Handled => Interlocked.Read(ref _handled);

    /// <summary>The ordering up to which its events are handled; 0 until it has read its offsets.</summary>
    internal long Offset => Interlocked.Read(ref _offset);

    internal void MovedTo(long ordering) => Interlocked.Exchange(ref _offset, ordering);

    internal void Open(long offset)
    {
        MovedTo(offset);
        Set(ref _isOpen, true);
    }

    internal void Fail(string error) => Set(ref _failure, error);

    internal void Close()
    {
        lock (_lock)
            (_isOpen, _failure, _storeFault, _journalFault, _wait) = (false, null, null, null, null);
    }

    internal void StoreIs(string? fault) => Set(ref _storeFault, fault);

    /// <summary>The lane holds its events until it is started again.</summary>
    internal void WaitsFor(string what) => Set(ref _wait, what);

    internal void JournalIs(string? fault) => Set(ref _journalFault, fault);

    /// <summary>When the current batch was started, as the clock's timestamp; null if no batch is being written.</summary>
    internal long? InHandSince
    {
        get => Interlocked.Read(ref _inHandSince) is not None and var since ? since : null;
        set => Interlocked.Exchange(ref _inHandSince, value ?? None);
    }

    internal void Count(int events) => Interlocked.Add(ref _handled, events);

    private void Set<T>(ref T field, T value)
    {
        lock (_lock)
            field = value;
    }
}

/// <summary>The recent speed of a lane. Each sample counts for a third.</summary>
internal sealed class LaneSpeed(TimeProvider time)
{
    private const double Weight = 1.0 / 3;

    private long _at = time.GetTimestamp();
    private long _handled;
    private double? _speed;

    internal double EventsPerSecond => Math.Round(_speed ?? 0, 1);

    internal void Sample(long handled)
    {
        var seconds = time.GetElapsedTime(_at).TotalSeconds;
        if (seconds <= 0)
            return;
        var now = (handled - _handled) / seconds;
        _speed = _speed is { } before ? before + (Weight * (now - before)) : now;
        (_at, _handled) = (time.GetTimestamp(), handled);
    }
}
