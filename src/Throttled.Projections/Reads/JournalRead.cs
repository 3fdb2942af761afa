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
    private const long MostPendingBytes = 1024 * 1024;

    private const string CannotBeRead = "The journal cannot be read";

    // A query that the journal refuses fails at its first page, long before.
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly ShardReads _shard;
    private readonly LaneParts _parts;
    private readonly IReadOnlyList<Lane> _lanes;
    private readonly Outlet[][] _bySlice = new Outlet[JournalSlices.Count][];
    private readonly List<Outlet> _outlets = [];
    private readonly CancellationTokenSource _stopping = new();
    private readonly Channel<bool> _looks = Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
    private Task<bool>? _check;
    private long _pendingBytes;
    private volatile IReadOnlyList<Lane> _leftOut = [];
    private Task _run = Task.CompletedTask;

    /// <param name="shard">The shard.</param>
    /// <param name="parts">What the lanes share.</param>
    /// <param name="lanes">The lanes, all open and of this shard.</param>
    internal JournalRead(ShardReads shard, LaneParts parts, IReadOnlyList<Lane> lanes)
    {
        _shard = shard;
        _parts = parts;
        _lanes = lanes;
    }

    /// <summary>Called when a lane was left out.</summary>
    internal required Action LeftOut { get; init; }

    /// <summary>The lanes that it reads for, in ascending order: not those that have ended, or do not come back.</summary>
    internal IReadOnlyList<int> Lanes => [.. Open.Except(_leftOut).Select(lane => lane.Number).Order()];

    internal void Start() => _run = Task.Run(RunAsync);

    /// <summary>Tells the lanes how far the query has read where it brings no events.</summary>
    internal void Look() => _looks.Writer.TryWrite(true);

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
            var begun = Position;
            try
            {
                await ReadAndProveAsync().ConfigureAwait(false);
                return;
            }
            catch (Exception) when (_stopping.IsCancellationRequested)
            {
                return;
            }
            catch (Exception error) when (error is ObjectDisposedException or (JournalException and not JournalRewoundException))
            {
                Tell(error.Message.Contains(CannotBeRead, StringComparison.Ordinal) ? ErrorText.Of(error) : $"{CannotBeRead}: {ErrorText.Of(error)}");
                _parts.News.ReadFailed(_shard.Index, error);
            }
            catch (Exception error)
            {
                _parts.News.ReadStopped(Lanes, error);
                foreach (var lane in Open)
                    lane.Fail(error);
                return;
            }
            failures = Position > begun ? 0 : failures;
            if (!await PauseAsync(failures).ConfigureAwait(false))
                return;
        }
    }

    private async Task<bool> PauseAsync(int failures)
    {
        try
        {
            await Task.Delay(BackOff.Delay(failures, _parts.Random()), _parts.Time, _stopping.Token).ConfigureAwait(false);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private IEnumerable<Lane> Open => _lanes.Where(lane => lane.Ending == LaneEnding.None);

    private long Position => Open.Select(lane => lane.Queue!.Through.Ordering).DefaultIfEmpty(long.MaxValue).Min();

    private async Task ReadAndProveAsync()
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(_stopping.Token);
        var proof = ProveAsync(ended.Token);
        try
        {
            await ReadAsync().ConfigureAwait(false);
        }
        finally
        {
            await ended.CancelAsync().ConfigureAwait(false);
            await proof.ConfigureAwait(false);
        }
    }

    // Where nothing is written, no event shows that the journal can be read again: what does is that it answers, and the query does not fail.
    private async Task ProveAsync(CancellationToken ended)
    {
        while (_shard.Ask is { } ask && !ended.IsCancellationRequested)
        {
            var answer = ask(ended).WaitAsync(ended);
            await answer.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            await Task.Delay(Quiet, _parts.Time, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!answer.IsCompletedSuccessfully || ended.IsCancellationRequested)
                continue;
            Works();
            return;
        }
    }

    private async Task ReadAsync()
    {
        Connect();
        var after = Position;
        await _shard.Check(after, _stopping.Token).ConfigureAwait(false);
        var events = _shard.Open(after).GetAsyncEnumerator(_stopping.Token);
        await using (events.ConfigureAwait(false))
        {
            var place = default(ReadPlace);
            while (true)
            {
                // Demanded before what is here is handed out: the next page is read meanwhile.
                var next = events.MoveNextAsync();
                var isNext = next.IsCompleted && _pendingBytes <= MostPendingBytes
                    ? await next.ConfigureAwait(false)
                    : await HandOutAndWaitAsync(place, next.AsTask(), events as IScanning).ConfigureAwait(false);
                if (!isNext)
                    return;
                var stored = events.Current;
                if (place.Ordering == 0)
                    Works();
                place = ReadPlace.Of(stored);
                Sort(stored);
            }
        }
    }

    private async Task<bool> HandOutAndWaitAsync(ReadPlace place, Task<bool> next, IScanning? query)
    {
        if (await IsHandedOutAsync(place).ConfigureAwait(false))
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
            _check ??= _looks.Reader.ReadAsync(_stopping.Token).AsTask();
            if (await Task.WhenAny(next, _check).ConfigureAwait(false) == next)
                break;
            _check = null;
            var scanned = query.ScannedAsync();
            if (await Task.WhenAny(scanned, next).ConfigureAwait(false) == scanned && await scanned.ConfigureAwait(false) is { } scan)
                _outlets.ForEach(outlet => outlet.Pass(scan, _parts.Time));
        }
        return await next.ConfigureAwait(false);
    }

    private void Connect()
    {
        _outlets.Clear();
        _leftOut = [];
        _pendingBytes = 0;
        Array.Fill(_bySlice, []);
        foreach (var lane in Open)
        {
            lane.Queue!.Join();
            var outlet = new Outlet(lane);
            _outlets.Add(outlet);
            // Lanes of an older layout may still be here: none may take events from another, which would move on without them.
            for (var slice = lane.Slices.First; slice <= lane.Slices.Last; slice++)
                _bySlice[slice] = [.. _bySlice[slice], outlet];
        }
    }

    private void Sort(JournalEvent stored)
    {
        foreach (var outlet in _bySlice[JournalSlices.Of(stored.PersistenceId)])
        {
            if (outlet.Take(stored))
                _pendingBytes += stored.Bytes;
        }
    }

    // Reading waits for a lane that is full, which is how memory is bounded; but for one that does not come back, the others do not.
    private async Task PutAsync(List<(Outlet Outlet, LaneChunk Chunk)> full)
    {
        if (full.Count == 0)
            return;
        using var waited = CancellationTokenSource.CreateLinkedTokenSource(_stopping.Token);
        var patience = Task.Delay(Patience, _parts.Time, waited.Token);
        foreach (var (outlet, chunk) in full)
        {
            if (!await outlet.Queue.PutAsync(chunk, patience, _stopping.Token).ConfigureAwait(false))
                LeaveOut(outlet);
        }
        await waited.CancelAsync().ConfigureAwait(false);
    }

    private void LeaveOut(Outlet outlet)
    {
        _outlets.Remove(outlet);
        _leftOut = [.. _leftOut, outlet.Lane];
        for (var slice = outlet.Lane.Slices.First; slice <= outlet.Lane.Slices.Last; slice++)
            _bySlice[slice] = [.. _bySlice[slice].Where(other => other != outlet)];
        // It may have come back while it was taken out.
        LeftOut();
    }

    /// <returns>Whether it was not stopped meanwhile, and there is still a lane to read for.</returns>
    private async Task<bool> IsHandedOutAsync(ReadPlace place)
    {
        try
        {
            await HandOutAsync(place).ConfigureAwait(false);
            return _outlets.Count > 0;
        }
        catch (OperationCanceledException) when (_stopping.IsCancellationRequested)
        {
            return false;
        }
    }

    // First whoever has room: a full lane must not keep from the others what is here already.
    private async Task HandOutAsync(ReadPlace place)
    {
        if (place.Ordering == 0)
            return;
        List<(Outlet Outlet, LaneChunk Chunk)>? full = null;
        foreach (var outlet in _outlets)
        {
            if (outlet.Chunk(place) is { } chunk && !outlet.Queue.TryPut(chunk))
                (full ??= []).Add((outlet, chunk));
        }
        await PutAsync(full ?? []).ConfigureAwait(false);
        foreach (var outlet in _outlets)
            outlet.Queue.Passed(place);
        _pendingBytes = 0;
    }

    private void Works()
    {
        Tell(null);
        _parts.News.ReadWorks(_shard.Index);
    }

    private void Tell(string? fault)
    {
        foreach (var lane in Open)
            lane.Board.JournalIs(fault);
    }

    // What one lane is about to be given.
    private sealed class Outlet(Lane lane)
    {
        private readonly long _after = lane.Queue!.Through.Ordering;
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
            Queue.Passed(new(scan.UpTo, scan.IsLevel ? time.GetUtcNow().UtcTicks : Queue.Through.Timestamp));

        internal LaneChunk? Chunk(ReadPlace place)
        {
            if (_events.Count == 0)
                return null;
            var chunk = new LaneChunk(_events, place, _bytes);
            (_events, _bytes) = ([], 0);
            return chunk;
        }
    }
}
