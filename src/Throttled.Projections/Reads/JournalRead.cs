using System.Threading.Channels;
using Throttled.Journal;
using Throttled.Journal.Loop;
using Throttled.Journal.Queries;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Lanes;

namespace Throttled.Projections.Reads;

/// <summary>One live query of a shard that feeds several lanes, each with its own events. Where one of them is full, it waits.</summary>
internal sealed class JournalRead : IAsyncDisposable
{
    // A page of a query is at most a megabyte or so; what the lanes are given at once is not larger.
    private const long MaxPendingBytes = 1024 * 1024;

    private const string CannotBeRead = "The journal cannot be read";

    // A query that the journal refuses fails at its first page, long before.
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan FullLaneTimeout = TimeSpan.FromSeconds(30);

    private readonly SourceShard _shard;
    private readonly LaneContext _context;
    private readonly IReadOnlyList<Lane> _lanes;
    private readonly LaneBuffer[][] _bySlice = new LaneBuffer[JournalSlices.Count][];
    private readonly List<LaneBuffer> _buffers = [];
    private readonly CancellationTokenSource _stopping = new();
    private readonly Channel<bool> _polls = Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
    private Task<bool>? _check;
    private long _pendingBytes;
    private volatile IReadOnlyList<Lane> _excluded = [];
    private Task _run = Task.CompletedTask;

    /// <param name="shard">The shard.</param>
    /// <param name="context">What the lanes share.</param>
    /// <param name="lanes">The lanes, all open and of this shard.</param>
    internal JournalRead(SourceShard shard, LaneContext context, IReadOnlyList<Lane> lanes)
    {
        _shard = shard;
        _context = context;
        _lanes = lanes;
    }

    /// <summary>Called when a lane was left out.</summary>
    internal required Action Excluded { get; init; }

    /// <summary>The lanes that it reads for, in ascending order: not those that have ended, or do not come back.</summary>
    internal IReadOnlyList<int> Lanes => [.. Open.Except(_excluded).Select(lane => lane.Number).Order()];

    internal void Start() => _run = Task.Run(RunAsync);

    /// <summary>Tells the lanes how far the query has read where it brings no events.</summary>
    internal void Poll() => _polls.Writer.TryWrite(true);

    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync().ConfigureAwait(false);
        await _run.ConfigureAwait(false);
        _stopping.Dispose();
    }

    private async Task RunAsync()
    {
        for (var failures = 0; Open.Any(); failures++)
        {
            var begun = ReadUpTo;
            try
            {
                await ReadAndProbeAsync().ConfigureAwait(false);
                return;
            }
            catch (Exception) when (_stopping.IsCancellationRequested)
            {
                return;
            }
            catch (Exception error) when (error is ObjectDisposedException or (JournalException and not JournalRewoundException))
            {
                Report(error.Message.Contains(CannotBeRead, StringComparison.Ordinal) ? ErrorText.Of(error) : $"{CannotBeRead}: {ErrorText.Of(error)}");
                _context.Telemetry.ReadFailed(_shard.Index, error);
            }
            catch (Exception error)
            {
                _context.Telemetry.ReadStopped(Lanes, error);
                foreach (var lane in Open)
                    lane.Fail(error);
                return;
            }
            failures = ReadUpTo > begun ? 0 : failures;
            if (!await DelayAsync(failures).ConfigureAwait(false))
                return;
        }
    }

    private async Task<bool> DelayAsync(int failures)
    {
        try
        {
            await Task.Delay(BackOff.Delay(failures, _context.Random()), _context.Time, _stopping.Token).ConfigureAwait(false);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private IEnumerable<Lane> Open => _lanes.Where(lane => lane.Ending == LaneEnding.None);

    private long ReadUpTo => Open.Select(lane => lane.Queue!.ReadUpTo.Ordering).DefaultIfEmpty(long.MaxValue).Min();

    private async Task ReadAndProbeAsync()
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(_stopping.Token);
        var probing = ProbeAsync(ended.Token);
        try
        {
            await ReadAsync().ConfigureAwait(false);
        }
        finally
        {
            await ended.CancelAsync().ConfigureAwait(false);
            await probing.ConfigureAwait(false);
        }
    }

    // Where nothing is written, no event shows that the journal can be read again: what does is that it answers, and the query does not fail.
    private async Task ProbeAsync(CancellationToken ended)
    {
        while (_shard.Probe is { } ask && !ended.IsCancellationRequested)
        {
            var answer = ask(ended).WaitAsync(ended);
            await answer.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            await Task.Delay(Quiet, _context.Time, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!answer.IsCompletedSuccessfully || ended.IsCancellationRequested)
                continue;
            Readable();
            return;
        }
    }

    private async Task ReadAsync()
    {
        Connect();
        var after = ReadUpTo;
        await _shard.Check(after, _stopping.Token).ConfigureAwait(false);
        var events = _shard.Open(after).GetAsyncEnumerator(_stopping.Token);
        await using (events.ConfigureAwait(false))
        {
            var position = default(JournalPosition);
            while (true)
            {
                // Demanded before what is here is handed out: the next page is read meanwhile.
                var next = events.MoveNextAsync();
                var isNext = next.IsCompleted && _pendingBytes <= MaxPendingBytes
                    ? await next.ConfigureAwait(false)
                    : await DispatchAndWaitAsync(position, next.AsTask(), events as IScanning).ConfigureAwait(false);
                if (!isNext)
                    return;
                var stored = events.Current;
                if (position.Ordering == 0)
                    Readable();
                position = JournalPosition.Of(stored);
                Route(stored);
            }
        }
    }

    private async Task<bool> DispatchAndWaitAsync(JournalPosition position, Task<bool> next, IScanning? query)
    {
        if (await TryDispatchAsync(position).ConfigureAwait(false))
            return await NextAsync(next, query).ConfigureAwait(false);
        // An enumerator must not be disposed of while it is asked. It ends with an event, or when this read is told to stop.
        await next.ContinueWith(static _ => { }, TaskScheduler.Default).ConfigureAwait(false);
        return false;
    }

    // All events that came are handed out. Those that are not for these lanes bring them on, too: otherwise they would never catch up, and would read
    // the same stretch again after a restart.
    private async Task<bool> NextAsync(Task<bool> next, IScanning? query)
    {
        while (query is not null && !next.IsCompleted && !_stopping.IsCancellationRequested)
        {
            _check ??= _polls.Reader.ReadAsync(_stopping.Token).AsTask();
            if (await Task.WhenAny(next, _check).ConfigureAwait(false) == next)
                break;
            _check = null;
            var scanned = query.ScannedAsync();
            if (await Task.WhenAny(scanned, next).ConfigureAwait(false) == scanned && await scanned.ConfigureAwait(false) is { } scan)
                _buffers.ForEach(buffer => buffer.Pass(scan, _context.Time));
        }
        return await next.ConfigureAwait(false);
    }

    private void Connect()
    {
        _buffers.Clear();
        _excluded = [];
        _pendingBytes = 0;
        Array.Fill(_bySlice, []);
        foreach (var lane in Open)
        {
            lane.Queue!.Attach();
            var buffer = new LaneBuffer(lane);
            _buffers.Add(buffer);
            // Lanes of an older layout may still be here: none may take events from another, which would move on without them.
            for (var slice = lane.Slices.First; slice <= lane.Slices.Last; slice++)
                _bySlice[slice] = [.. _bySlice[slice], buffer];
        }
    }

    private void Route(JournalEvent stored)
    {
        foreach (var buffer in _bySlice[JournalSlices.Of(stored.PersistenceId)])
        {
            if (buffer.Take(stored))
                _pendingBytes += stored.Bytes;
        }
    }

    // Reading waits for a lane that is full, which is how memory is bounded; but for one that does not come back, the others do not.
    private async Task PutAsync(List<(LaneBuffer Outlet, LaneChunk Chunk)> full)
    {
        if (full.Count == 0)
            return;
        using var waited = CancellationTokenSource.CreateLinkedTokenSource(_stopping.Token);
        var timeout = Task.Delay(FullLaneTimeout, _context.Time, waited.Token);
        foreach (var (buffer, chunk) in full)
        {
            if (!await buffer.Queue.PutAsync(chunk, timeout, _stopping.Token).ConfigureAwait(false))
                Exclude(buffer);
        }
        await waited.CancelAsync().ConfigureAwait(false);
    }

    private void Exclude(LaneBuffer buffer)
    {
        _buffers.Remove(buffer);
        _excluded = [.. _excluded, buffer.Lane];
        for (var slice = buffer.Lane.Slices.First; slice <= buffer.Lane.Slices.Last; slice++)
            _bySlice[slice] = [.. _bySlice[slice].Where(other => other != buffer)];
        // It may have come back while it was taken out.
        Excluded();
    }

    /// <returns>Whether it was not stopped meanwhile, and there is still a lane to read for.</returns>
    private async Task<bool> TryDispatchAsync(JournalPosition position)
    {
        try
        {
            await DispatchAsync(position).ConfigureAwait(false);
            return _buffers.Count > 0;
        }
        catch (OperationCanceledException) when (_stopping.IsCancellationRequested)
        {
            return false;
        }
    }

    // First whoever has room: a full lane must not keep from the others what is here already.
    private async Task DispatchAsync(JournalPosition position)
    {
        if (position.Ordering == 0)
            return;
        List<(LaneBuffer Outlet, LaneChunk Chunk)>? full = null;
        foreach (var buffer in _buffers)
        {
            if (buffer.Chunk(position) is { } chunk && !buffer.Queue.TryPut(chunk))
                (full ??= []).Add((buffer, chunk));
        }
        await PutAsync(full ?? []).ConfigureAwait(false);
        foreach (var buffer in _buffers)
            buffer.Queue.Passed(position);
        _pendingBytes = 0;
    }

    private void Readable()
    {
        Report(null);
        _context.Telemetry.Readable(_shard.Index);
    }

    private void Report(string? fault)
    {
        foreach (var lane in Open)
            lane.Health.JournalIs(fault);
    }

    // What one lane is about to be given.
    private sealed class LaneBuffer(Lane lane)
    {
        private readonly long _after = lane.Queue!.ReadUpTo.Ordering;
        private List<JournalEvent> _events = [];
        private long _bytes;

        internal Lane Lane { get; } = lane;

        internal LaneQueue Queue { get; } = lane.Queue!;

        internal bool Take(JournalEvent stored)
        {
            if (stored.Ordering <= _after)
                return false;
            _events.Add(stored);
            _bytes += stored.Bytes;
            return true;
        }

        // Where it follows, nothing is older than now; where it catches up, when the events there were persisted is not known.
        internal void Pass(Scan scan, TimeProvider time) =>
            Queue.Passed(new(scan.UpTo, scan.IsLevel ? time.GetUtcNow().UtcTicks : Queue.ReadUpTo.Timestamp));

        internal LaneChunk? Chunk(JournalPosition position)
        {
            if (_events.Count == 0)
                return null;
            var chunk = new LaneChunk(_events, position, _bytes);
            (_events, _bytes) = ([], 0);
            return chunk;
        }
    }
}
