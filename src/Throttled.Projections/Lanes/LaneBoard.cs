using Throttled.Projections.Store;

namespace Throttled.Projections.Lanes;

/// <summary>
/// How a lane does, told by the lane, its store and its read, each of its own troubles, and read by anyone. A lane that failed stays so, whatever else
/// comes and goes.
/// </summary>
internal sealed class LaneBoard
{
    // A clock's timestamp may be 0.
    private const long None = long.MinValue;

    private readonly Lock _lock = new();
    private bool _isOpen;
    private string? _failure;
    private string? _storeFault;
    private string? _journalFault;
    private long _handled;
    private long _position;
    private long _inHandSince = None;

    /// <summary>How it does, and why it does not run; null where it does.</summary>
    internal (LaneState State, string? Error) Standing
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

    internal LaneState State => Standing.State;

    internal string? Error => Standing.Error;

    /// <summary>Events handled since the lane was started.</summary>
    internal long Handled => Interlocked.Read(ref _handled);

    /// <summary>Up to which ordering its events were handled; 0 where it does not know yet.</summary>
    internal long Position => Interlocked.Read(ref _position);

    internal void MovedTo(long ordering) => Interlocked.Exchange(ref _position, ordering);

    /// <summary>It knows where it stands.</summary>
    internal void Open(long position)
    {
        MovedTo(position);
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
