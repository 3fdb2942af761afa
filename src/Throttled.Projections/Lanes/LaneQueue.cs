using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;

namespace Throttled.Projections.Lanes;

/// <summary>
/// The events that were read for a lane and are not committed yet. At the limit the reader waits; an empty queue takes a chunk of any size.
/// Thread-safe for one reader that puts and one lane that takes.
/// </summary>
internal sealed class LaneQueue(long maxBytes, JournalPosition start)
{
    private readonly Lock _lock = new();
    private readonly Queue<LaneChunk> _chunks = new();
    private readonly Channel<bool> _wakes = Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
    private TaskCompletionSource? _room;
    private JournalPosition _readUpTo = start;
    private long _bytes;
    private bool _isExcluded;
    private volatile bool _isClosed;

    internal JournalPosition ReadUpTo => Read(static queue => queue._readUpTo);

    internal long Bytes => Read(static queue => queue._bytes);

    internal Action? ReadableAgain { get; init; }

    /// <summary>Whether the lane takes no more events. Chunks that are put in are then dropped.</summary>
    internal bool IsClosed => _isClosed;

    /// <summary>Whether the reader waits for room, so no chunk can come before bytes are returned.</summary>
    internal bool IsFull => Read(static queue => queue._chunks.Count == 0 && queue._room is not null);

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

    /// <summary>Waits for room. Without room in time, it returns false, and the lane is excluded from reads until there is room.</summary>
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

    // From now on, the next return of bytes reports that there is room.
    private bool IsExcluded(long bytes)
    {
        lock (_lock)
            return _isExcluded = !HasRoomFor(bytes);
    }

    private bool HasRoomFor(long bytes) => IsClosed || _bytes == 0 || _bytes + bytes <= maxBytes;

    /// <summary>Whether the reader should read for the lane. False if the lane was excluded and is still more than half full.</summary>
    internal bool IsReadable => Read(queue => !queue._isExcluded || queue._bytes <= maxBytes / 2);

    internal void Attach()
    {
        lock (_lock)
            _isExcluded = false;
    }

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

    /// <summary>Completes with the next chunk or with <see cref="Wake"/>; at once if one of them came since it last completed.</summary>
    internal Task ChangedAsync() => _wakes.Reader.ReadAsync().AsTask();

    internal void Wake() => _wakes.Writer.TryWrite(true);

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

    private T Read<T>(Func<LaneQueue, T> value)
    {
        lock (_lock)
            return value(this);
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
        // No further chunk can come, so the collector need not wait for one.
        Wake();
        return room.Task;
    }
}

/// <summary>Events of a lane in order. The lane has no others up to <c>ReadUpTo</c>.</summary>
internal sealed record LaneChunk(IReadOnlyList<JournalEvent> Events, JournalPosition ReadUpTo, long Bytes);

/// <summary>A place in the journal. The timestamp is in UTC ticks; 0 if it is not known.</summary>
internal readonly record struct JournalPosition(long Ordering, long Timestamp)
{
    internal static JournalPosition Of(JournalEvent stored) => new(stored.Ordering, stored.Timestamp);
}
