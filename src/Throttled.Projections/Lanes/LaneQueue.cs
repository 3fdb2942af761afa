using System.Diagnostics.CodeAnalysis;
using Throttled.Journal;

namespace Throttled.Projections.Lanes;

/// <summary>
/// What the journal's read has brought a lane, until its batch is committed. At its bound the read waits; an empty one takes any chunk. One read
/// puts, one lane takes; thread-safe between them.
/// </summary>
/// <param name="maxBytes">The bound.</param>
/// <param name="start">All up to here the lane has.</param>
internal sealed class LaneQueue(long maxBytes, JournalPosition start)
{
    private readonly Lock _lock = new();
    private readonly Queue<LaneChunk> _chunks = new();
    private TaskCompletionSource? _room;
    private TaskCompletionSource? _changed;
    private JournalPosition _readUpTo = start;
    private long _bytes;
    private bool _woken;
    private bool _isExcluded;
    private volatile bool _isClosed;

    /// <summary>All the lane's events up to here were put in.</summary>
    internal JournalPosition ReadUpTo
    {
        get
        {
            lock (_lock)
                return _readUpTo;
        }
    }

    internal long Bytes
    {
        get
        {
            lock (_lock)
                return _bytes;
        }
    }

    /// <summary>Called when the lane can be read for again, should it have been left out.</summary>
    internal Action? ReadableAgain { get; init; }

    /// <summary>Whether nobody takes any more; what is put in is forgotten then.</summary>
    internal bool IsClosed => _isClosed;

    /// <summary>Whether nothing can come before something is returned.</summary>
    internal bool IsFull
    {
        get
        {
            lock (_lock)
                return _chunks.Count == 0 && _room is not null;
        }
    }

    /// <summary>Puts a chunk in, where there is room.</summary>
    internal bool TryPut(LaneChunk chunk)
    {
        lock (_lock)
        {
            if (IsClosed)
                return true;
            if (!HasRoomFor(chunk.Bytes))
                return false;
            _chunks.Enqueue(chunk);
            _bytes += chunk.Bytes;
            _readUpTo = chunk.ReadUpTo;
        }
        Wake();
        return true;
    }

    /// <summary>Puts a chunk in as soon as there is room.</summary>
    /// <param name="chunk">The chunk.</param>
    /// <param name="timeout">Completes when there was no room for too long.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <returns>Whether there was room in time; otherwise the lane is not to be read for until there is.</returns>
    internal async Task<bool> PutAsync(LaneChunk chunk, Task timeout, CancellationToken cancellation)
    {
        while (!TryPut(chunk))
        {
            var room = RoomAsync(chunk.Bytes);
            if (await Task.WhenAny(room, timeout).WaitAsync(cancellation).ConfigureAwait(false) == timeout && IsExcluded(chunk.Bytes))
                return false;
        }
        return true;
    }

    // Whoever returns from now on is told so.
    private bool IsExcluded(long bytes)
    {
        lock (_lock)
            return _isExcluded = !HasRoomFor(bytes);
    }

    private bool HasRoomFor(long bytes) => IsClosed || _bytes == 0 || _bytes + bytes <= maxBytes;

    /// <summary>Whether it is worth to read for the lane: not where it was full for long, and is.</summary>
    internal bool IsReadable
    {
        get
        {
            lock (_lock)
                return !_isExcluded || _bytes <= maxBytes / 2;
        }
    }

    /// <summary>A read begins to put.</summary>
    internal void Attach()
    {
        lock (_lock)
            _isExcluded = false;
    }

    /// <summary>The read has come to a place, and all before it was put in.</summary>
    internal void Passed(JournalPosition position)
    {
        lock (_lock)
        {
            if (position.Ordering > _readUpTo.Ordering)
                _readUpTo = position;
        }
    }

    internal bool TryTake([NotNullWhen(true)] out LaneChunk? chunk)
    {
        lock (_lock)
            return _chunks.TryDequeue(out chunk);
    }

    /// <summary>What was taken is done with.</summary>
    internal void Return(long bytes)
    {
        TaskCompletionSource? room;
        bool isReadableAgain;
        lock (_lock)
        {
            var before = _bytes;
            _bytes = Math.Max(0, _bytes - bytes);
            (room, _room) = (_room, null);
            isReadableAgain = before > maxBytes / 2 && _bytes <= maxBytes / 2;
        }
        room?.SetResult();
        if (isReadableAgain)
            ReadableAgain?.Invoke();
    }

    /// <summary>Ends with the next chunk, with <see cref="Wake"/>, or at once where either has come since it ended last.</summary>
    internal Task ChangedAsync()
    {
        lock (_lock)
        {
            if (_woken)
            {
                _woken = false;
                return Task.CompletedTask;
            }
            _changed ??= new(TaskCreationOptions.RunContinuationsAsynchronously);
            return _changed.Task;
        }
    }

    /// <summary>The lane is to check again.</summary>
    internal void Wake()
    {
        TaskCompletionSource? changed;
        lock (_lock)
        {
            (changed, _changed) = (_changed, null);
            _woken = changed is null;
        }
        changed?.SetResult();
    }

    /// <summary>Nobody takes any more. The read does not wait.</summary>
    internal void Close()
    {
        TaskCompletionSource? room;
        lock (_lock)
        {
            _isClosed = true;
            _chunks.Clear();
            _bytes = 0;
            (room, _room) = (_room, null);
        }
        room?.SetResult();
        Wake();
    }

    private Task RoomAsync(long bytes)
    {
        TaskCompletionSource room;
        lock (_lock)
        {
            if (HasRoomFor(bytes))
                return Task.CompletedTask;
            room = _room ??= new(TaskCreationOptions.RunContinuationsAsynchronously);
        }
        // Whoever collects a batch need not wait for more: it cannot come.
        Wake();
        return room.Task;
    }
}

/// <summary>What a read of the journal brings a lane at once.</summary>
/// <param name="Events">The lane's events, in order; at least one.</param>
/// <param name="ReadUpTo">No other event of the lane has an ordering up to here.</param>
/// <param name="Bytes">How much room the events take.</param>
internal sealed record LaneChunk(IReadOnlyList<JournalEvent> Events, JournalPosition ReadUpTo, long Bytes);

/// <summary>A place in the journal.</summary>
/// <param name="Ordering">The ordering of the event there.</param>
/// <param name="Timestamp">When it was persisted, in UTC ticks; 0 where that is not known.</param>
internal readonly record struct JournalPosition(long Ordering, long Timestamp)
{
    internal static JournalPosition Of(JournalEvent stored) => new(stored.Ordering, stored.Timestamp);
}
