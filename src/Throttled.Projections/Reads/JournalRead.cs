using System.Threading.Channels;
using Throttled.Journal.Queries;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Lanes;

namespace Throttled.Projections.Reads;

/// <summary>One live query of a shard that feeds several lanes, each with its own events. If a lane is full, the read waits.</summary>
internal sealed class JournalRead(SourceShard shard, LaneContext context, IReadOnlyList<Lane> lanes) : IAsyncDisposable
{
    // A page of a query has about a megabyte at most. The events that lanes are given at once are limited to the same size.
    private const long MaxPendingBytes = 1024 * 1024;

    private const string CannotBeRead = "The journal cannot be read";

    // A query that the journal refuses fails at its first page, long before this time.
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan FullLaneTimeout = TimeSpan.FromSeconds(30);

    private readonly LaneBuffer[][] _bySlice = new LaneBuffer[JournalSlices.Count][];
    private readonly List<LaneBuffer> _buffers = [];
    private readonly CancellationTokenSource _stopping = new();
    private readonly Channel<bool> _polls = Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
    private Task<bool>? _check;
    private long _pendingBytes;
    private volatile IReadOnlyList<Lane> _excluded = [];
    private Task _run = Task.CompletedTask;

    internal required Func<long> Highest { get; init; }

    internal required Action Excluded { get; init; }

    /// <summary>The lanes that this read feeds, without those that have ended or were excluded.</summary>
    internal IReadOnlyList<int> Lanes => [.. Open.Except(_excluded).Select(lane => lane.Number).Order()];

    internal void Start() => _run = Task.Run(RunAsync);

    /// <summary>Moves the lanes on to the ordering that the query has scanned, if it delivers no events.</summary>
    internal void Poll() => _polls.Writer.TryWrite(true);

    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync().ConfigureAwait(false);
        await _run.ConfigureAwait(false);
        _stopping.Dispose();
    }

    private async Task RunAsync()
    {
        var delays = new RetryDelays(context, _stopping.Token);
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
                context.Telemetry.ReadFailed(shard.Index, error);
            }
            catch (Exception error)
            {
                context.Telemetry.ReadStopped(Lanes, error);
                foreach (var lane in Open)
                    lane.Fail(error);
                return;
            }
            failures = ReadUpTo > begun ? 0 : failures;
            await delays.WaitAsync(failures).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_stopping.IsCancellationRequested)
                return;
        }
    }

    private IEnumerable<Lane> Open => lanes.Where(lane => lane.Ending == LaneEnding.None);

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

    // If nothing is written, no event shows that the journal can be read again. It can be read if it answers and the query does not fail.
    private async Task ProbeAsync(CancellationToken ended)
    {
        while (!ended.IsCancellationRequested)
        {
            Task answer = shard.End(ended).WaitAsync(ended);
            await answer.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            await Task.Delay(Quiet, context.Time, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
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
        await shard.CheckAsync(Math.Max(after, Highest()), _stopping.Token).ConfigureAwait(false);
        var events = Events(after).GetAsyncEnumerator(_stopping.Token);
        await using (events.ConfigureAwait(false))
        {
            var position = default(JournalPosition);
            while (true)
            {
                // Requested before the current events are dispatched, so the next page is read at the same time.
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

    private IAsyncEnumerable<JournalEvent> Events(long after) => shard.OpenSlices is { } open && _buffers.Count > 0
        ? open(after, new(_buffers.Min(buffer => buffer.Lane.Slices.First), _buffers.Max(buffer => buffer.Lane.Slices.Last)))
        : shard.Open(after);

    private async Task<bool> DispatchAndWaitAsync(JournalPosition position, Task<bool> next, IScanning? query)
    {
        if (await TryDispatchAsync(position).ConfigureAwait(false))
            return await NextAsync(next, query).ConfigureAwait(false);
        // An enumerator must not be disposed while MoveNextAsync runs. That call ends with an event, or when this read is stopped.
        await next.ContinueWith(static _ => { }, TaskScheduler.Default).ConfigureAwait(false);
        return false;
    }

    // All delivered events are dispatched here. Orderings without events for these lanes move the lanes on, too. Otherwise the lanes would never
    // catch up, and a restart would read the same orderings again.
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
                _buffers.ForEach(buffer => buffer.Pass(scan, context.Time));
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
            // Lanes of an older layout may still run. They must not take events from other lanes, which would move their offsets without these
            // events.
            for (var slice = lane.Slices.First; slice <= lane.Slices.Last; slice++)
                _bySlice[slice] = [.. _bySlice[slice], buffer];
        }
    }

    private void Route(JournalEvent stored)
    {
        // Before the event is counted in a queue, and before it is decoded.
        if (!context.Options.Source.Has(stored))
            return;
        foreach (var buffer in _bySlice[JournalSlices.Of(stored.PersistenceId)])
        {
            if (buffer.Take(stored))
                _pendingBytes += stored.Bytes;
        }
    }

    // Reading waits for a full lane, which limits memory. It does not wait longer than the timeout, so a lane that hangs does not stop the others.
    private async Task PutAsync(List<(LaneBuffer Buffer, LaneChunk Chunk)> full)
    {
        using var waited = CancellationTokenSource.CreateLinkedTokenSource(_stopping.Token);
        var timeout = Task.Delay(FullLaneTimeout, context.Time, waited.Token);
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
        // The lane may have got room while it was excluded.
        Excluded();
    }

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

    // Lanes with room come first: a full lane must not delay events that others can take already.
    private async Task DispatchAsync(JournalPosition position)
    {
        if (position.Ordering == 0)
            return;
        List<(LaneBuffer Buffer, LaneChunk Chunk)>? full = null;
        foreach (var buffer in _buffers)
        {
            if (buffer.Chunk(position) is { } chunk && !buffer.Queue.TryPut(chunk))
                (full ??= []).Add((buffer, chunk));
        }
        if (full is not null)
            await PutAsync(full).ConfigureAwait(false);
        foreach (var buffer in _buffers)
            buffer.Queue.Passed(position);
        _pendingBytes = 0;
    }

    private void Readable()
    {
        Report(null);
        context.Telemetry.Readable(shard.Index);
    }

    private void Report(string? fault)
    {
        foreach (var lane in Open)
            lane.Health.JournalIs(fault);
    }

    // The events that one lane is given next.
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

        // If the query follows the journal, nothing is older than now. If it catches up, the time of the scanned events is not known.
        internal void Pass(Scan scan, TimeProvider time) =>
            Queue.Passed(new(scan.UpTo, scan.IsFollowing ? time.GetUtcNow().UtcTicks : Queue.ReadUpTo.Timestamp));

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
