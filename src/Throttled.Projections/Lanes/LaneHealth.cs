namespace Throttled.Projections.Lanes;

/// <summary>
/// How a lane does, told by the lane, its store and its read, each of its own troubles, and read by anyone. A lane that failed stays so, whatever else
/// comes and goes.
/// </summary>
internal sealed class LaneHealth
{
    // A clock's timestamp may be 0.
    private const long None = long.MinValue;

    private readonly Lock _lock = new();
    private bool _isOpen;
    private string? _failure;
    private string? _storeFault;
    private string? _journalFault;
    private long _handled;
    private long _offset;
    private long _inHandSince = None;

    /// <summary>How it does, and why it does not run; null where it does.</summary>
    internal (LaneState State, string? Error) State
    {
        get
        {
            lock (_lock)
            {
                return _failure is not null ? (LaneState.Failed, _failure)
                    : (_storeFault ?? _journalFault) is { } fault ? (LaneState.Retrying, fault)
                    : (_isOpen ? LaneState.Running : LaneState.Idle, null);
            }
        }
    }

    internal LaneState CurrentState => State.State;

    internal string? CurrentError => State.Error;

    /// <summary>Events handled since the lane was started.</summary>
    internal long Handled => Interlocked.Read(ref _handled);

    /// <summary>Up to which ordering its events were handled; 0 where it does not know yet.</summary>
    internal long Offset => Interlocked.Read(ref _offset);

    internal void MovedTo(long ordering) => Interlocked.Exchange(ref _offset, ordering);

    /// <summary>It knows where it stands.</summary>
    internal void Open(long offset)
    {
        MovedTo(offset);
        Set(ref _isOpen, true);
    }

    /// <summary>It goes no further.</summary>
    internal void Fail(string error) => Set(ref _failure, error);

    /// <summary>It is not run here any more.</summary>
    internal void Close()
    {
        lock (_lock)
            (_isOpen, _failure, _storeFault, _journalFault) = (false, null, null, null);
    }

    /// <param name="fault">Why the read model's database does not answer; null where it does again.</param>
    internal void StoreIs(string? fault) => Set(ref _storeFault, fault);

    /// <param name="fault">Why the journal cannot be read; null where it can again.</param>
    internal void JournalIs(string? fault) => Set(ref _journalFault, fault);

    /// <summary>Since when the batch is being written that is in hand, as the clock's timestamp; null where none is.</summary>
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

/// <summary>How fast a lane has been of late: each sample counts for a third, so that it follows within some seconds.</summary>
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
