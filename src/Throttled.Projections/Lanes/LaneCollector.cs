using Throttled.Projections.Offsets;

namespace Throttled.Projections.Lanes;

/// <summary>Makes batches of the events that were read, while the previous batch is written. Without events, it moves the lane's offset from time to time.</summary>
internal sealed class LaneCollector : IDisposable
{
    private const int OldFactor = 10;

    private static readonly TimeSpan Old = TimeSpan.FromSeconds(10);

    internal static readonly TimeSpan IdleAdvance = TimeSpan.FromSeconds(10);

    private readonly LaneContext _context;
    private readonly LaneQueue _queue;
    private readonly LaneOffsets _start;
    private readonly ITimer _timer;
    private LaneBatch _batch = new();
    private LaneChunk? _chunk;
    private int _index;
    private volatile bool _isAged;
    private long _collectedUpTo;
    private long _advanced;

    internal LaneCollector(LaneContext context, LaneQueue queue, LaneOffsets start)
    {
        _context = context;
        _queue = queue;
        _start = start;
        _advanced = context.Time.GetTimestamp();
        _collectedUpTo = queue.ReadUpTo.Ordering;
        _timer = context.Time.CreateTimer(
            static collector => ((LaneCollector)collector!).Age(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Waits for the next batch; null once the queue is closed. A batch that is not full waits until it is wanted.</summary>
    internal async Task<LaneBatch?> NextAsync(Func<bool> isWanted)
    {
        while (!_queue.IsClosed)
        {
            Fill();
            // A queue that was closed in the meantime was emptied. So events may be missing in this batch.
            if (isWanted() && IsDue() && !_queue.IsClosed)
                return Take();
            await _queue.ChangedAsync().ConfigureAwait(false);
        }
        return null;
    }

    public void Dispose() => _timer.Dispose();

    private LaneBatch Take()
    {
        var batch = _batch;
        _batch = new();
        _isAged = false;
        _collectedUpTo = batch.ReadUpTo.Ordering;
        _advanced = _context.Time.GetTimestamp();
        _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        return batch;
    }

    private bool IsDue()
    {
        if (_batch.Events.Count >= _context.Options.BatchSize)
            return true;
        if (_batch.Events.Count == 0)
            return _batch.ReadUpTo.Ordering > _collectedUpTo && _context.Time.GetElapsedTime(_advanced) >= IdleAdvance;
        return _isAged || _queue.IsFull;
    }

    private void Age()
    {
        _isAged = true;
        _queue.Wake();
    }

    private void Fill()
    {
        while (_batch.Events.Count < _context.Options.BatchSize)
        {
            // Read before the queue is found empty, because events that are put in later may be below this ordering.
            var readUpTo = _queue.ReadUpTo;
            if (_chunk is null && !_queue.TryTake(out _chunk))
            {
                _batch.Pass(readUpTo);
                return;
            }
            Add(_chunk!);
        }
    }

    private void Add(LaneChunk chunk)
    {
        while (_index < chunk.Events.Count && _batch.Events.Count < _context.Options.BatchSize)
            Add(chunk.Events[_index++]);
        if (_index < chunk.Events.Count)
            return;
        _batch.Pass(chunk.ReadUpTo);
        (_chunk, _index) = (null, 0);
    }

    private void Add(JournalEvent stored)
    {
        if (!IsNew(stored))
        {
            _queue.Return(stored.Bytes);
            return;
        }
        var decoded = DecodedEvent.Decode(stored, _context.Decode);
        if (decoded.Payload is { } payload && !_context.Options.Source.HasDecoded(payload))
        {
            _queue.Return(stored.Bytes);
            return;
        }
        if (_batch.Events.Count == 0)
            _timer.Change(IsOld(stored) ? OldFactor * _context.Options.BatchAge : _context.Options.BatchAge, Timeout.InfiniteTimeSpan);
        if (decoded is { Payload: null, Undecodable: null })
            _context.Telemetry.PassedOver(stored);
        _batch.Add(decoded, stored.Bytes);
    }

    // The delay of an old event does not matter, and more will follow. An event without a timestamp may be new.
    private bool IsOld(JournalEvent stored) => stored.Timestamp > 0 && _context.Time.GetUtcNow().UtcTicks - stored.Timestamp > Old.Ticks;

    // Only the offsets at the start matter: above them each event is delivered once.
    private bool IsNew(JournalEvent stored) =>
        _start.IsUniform ? stored.Ordering > _start.Lowest : _start.IsNew(JournalSlices.Of(stored.PersistenceId), stored.Ordering);
}
