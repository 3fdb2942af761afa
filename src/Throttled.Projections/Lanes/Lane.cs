using System.Diagnostics;
using System.Threading.Channels;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Failures;
using Throttled.Projections.Handlers;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Lanes;

/// <summary>
/// One lane that runs in this process. It collects a batch while the one before is written. Between two batches it executes at most one part of a
/// command, so however many commands wait, neither events nor a stop wait for them.
/// </summary>
internal sealed class Lane(LaneContext context, LaneRow row, long epoch) : IDisposable
{
    private static readonly TimeSpan Slow = TimeSpan.FromSeconds(30);

    private readonly CancellationTokenSource _stopping = new();
    private readonly CancellationTokenSource _abort = new();
    private readonly Channel<object> _work = Channel.CreateUnbounded<object>(new() { SingleReader = true });
    private readonly PendingCommands _commands = new();
    private volatile LaneQueue? _queue;
    private volatile DeadLetterIds? _deadLetterIds;
    private volatile LaneEnding _ending;
    private int _waitingBatches;
    private long _highest;
    private long _readUpTo;
    private Task _run = Task.CompletedTask;

    /// <summary>Called when the lane is ready to receive events, and when it has ended by itself.</summary>
    internal required Action<Lane> Changed { get; init; }

    internal int Number => row.Lane;

    internal SliceRange Slices => row.Slices;

    internal LaneHealth Health { get; } = new();

    /// <summary>Where the journal reader puts the lane's events; null until the lane has read its offsets.</summary>
    internal LaneQueue? Queue => _queue;

    internal LaneEnding Ending => _ending;

    internal bool HasWaitingBatch => Volatile.Read(ref _waitingBatches) > 0;

    /// <summary>The highest ordering that was read for it, or its highest offset at its start; 0 until it has read its offsets.</summary>
    internal long Highest => Math.Max(Volatile.Read(ref _highest), _queue?.ReadUpTo.Ordering ?? 0);

    /// <summary>Not thread-safe. The reported offset never goes back, even when the lane holds new events again.</summary>
    internal LaneReport Report(double eventsPerSecond)
    {
        var standing = Health.State;
        return new(Number, standing.State, standing.Error ?? SlowBatch, eventsPerSecond)
        {
            Slices = Slices,
            Offset = _readUpTo = Math.Max(_readUpTo, ReadUpTo),
            DeadLetters = _deadLetterIds?.Count ?? 0,
            Buffered = _queue?.Bytes ?? 0,
        };
    }

    // A handler that hangs throws nothing, and cannot be told from a slow one.
    private string? SlowBatch =>
        Health.InHandSince is { } since && context.Time.GetElapsedTime(since) is var time && time > Slow
            ? FormattableString.Invariant($"one batch has taken {Math.Floor(time.TotalMinutes * 2) / 2:0.#} min so far")
            : null;

    // If the lane holds no events, it has handled all that was read for it. The ordering is taken first, because later events are above it.
    private long ReadUpTo
    {
        get
        {
            var through = _queue?.ReadUpTo.Ordering ?? 0;
            return _queue is { IsClosed: false, Bytes: 0 } ? Math.Max(through, Health.Offset) : Health.Offset;
        }
    }

    internal void Start(Lane? before) => _run = Task.Run(() => RunAsync(before));

    /// <summary>The commands that wait for the lane now, in their order. They replace those of the call before.</summary>
    internal void Give(IReadOnlyList<CommandRow> waiting)
    {
        if (_commands.Replace(waiting))
            _work.Writer.TryWrite(_commands);
    }

    internal void Tick() => _queue?.Wake();

    internal void Fail(Exception error) => _work.Writer.TryWrite(error);

    /// <summary>Ends the lane. The current batch is finished, or rolled back when <paramref name="abort"/> is cancelled.</summary>
    internal async Task StopAsync(CancellationToken abort)
    {
        await _stopping.CancelAsync().ConfigureAwait(false);
        _queue?.Close();
        _work.Writer.TryComplete();
        using (abort.UnsafeRegister(static source => ((CancellationTokenSource)source!).Cancel(), _abort))
            await _run.ConfigureAwait(false);
    }

    public void Dispose()
    {
        _stopping.Dispose();
        _abort.Dispose();
    }

    private async Task RunAsync(Lane? before)
    {
        // The activity of the reconciliation that started the lane has ended.
        Activity.Current = null;
        try
        {
            if (before is not null)
            {
                await before.StopAsync(_abort.Token).ConfigureAwait(false);
                before.Dispose();
            }
            await WorkAsync().ConfigureAwait(false);
            _ending = LaneEnding.Stopped;
        }
        // A cancelled driver may throw any exception.
        catch (Exception error) when (_abort.IsCancellationRequested || (_stopping.IsCancellationRequested && error is OperationCanceledException))
        {
            _ending = LaneEnding.Stopped;
        }
        catch (FencedException fenced)
        {
            _ending = LaneEnding.Fenced;
            context.Telemetry.Fenced(Number, epoch, fenced.Message);
            Health.Close();
            Changed(this);
        }
        catch (Exception error)
        {
            Stop(error);
        }
        finally
        {
            // Commands that arrive from now on are for the lane's next run.
            _work.Writer.TryComplete();
        }
    }

    private async Task WorkAsync()
    {
        var delays = new RetryDelays(context, _stopping.Token);
        var retry = new StoreRetry(context, Number, Health, delays);
        var record = await retry.ExecuteAsync(
            () => context.Store.ReadLaneAsync(context.Version, Slices, _stopping.Token), _stopping.Token).ConfigureAwait(false);
        if (record.Epoch != epoch)
            throw new FencedException("its lanes were divided anew, or reset");
        // The state that started the lane may be from before the pause, and a caller may have seen since that no lane runs.
        if (record.IsPaused)
            throw new FencedException("the read model was paused");
        if (!context.History.IsKnown)
            Health.WaitsFor("waits for the end of its history; the process that has lane 0 stores it, and must not be of an older release");
        var offsets = new LaneOffsets(record.Offsets);
        var deadLetterIds = _deadLetterIds = new(record.DeadLetterIds, record.DeadLetters, context.DeadLettersPerLane);
        var transactions = new LaneTransactions(context, epoch, offsets, deadLetterIds, Health, retry);
        using var collector = Open(record.Offsets);
        var collecting = CollectAsync(collector);
        // The rebuild began with another release of the handler, or with another value of the property.
        var refusal = row.IsBuilding && context.Handler.Delivery is { RunsInRebuild: false } ? RebuildRule.Refusal(context.Version) : null;
        if (refusal is not null)
            Stop(new LaneStoppedException(refusal, new NotSupportedException()));
        try
        {
            var writer = new LaneWriter(context, Number, offsets, deadLetterIds, transactions, delays);
            await DoAsync(writer, new LaneCommands(context, Number, offsets, deadLetterIds, transactions, writer) { RetryRefusal = refusal }).ConfigureAwait(false);
        }
        finally
        {
            _queue!.Close();
            await collecting.ConfigureAwait(false);
        }
    }

    private LaneCollector Open(IReadOnlyList<SliceOffset> rows)
    {
        var lowest = rows.MinBy(slices => slices.Ordering);
        Volatile.Write(ref _highest, rows.Max(slices => slices.Ordering));
        _queue = new(context.BytesPerLane, new(lowest.Ordering, lowest.Timestamp)) { ReadableAgain = () => Changed(this) };
        var collector = new LaneCollector(context, _queue, new(rows));
        Health.Open(lowest.Ordering);
        if (_stopping.IsCancellationRequested)
            _queue.Close();
        Changed(this);
        return collector;
    }

    private async Task CollectAsync(LaneCollector collector)
    {
        // Runs asynchronously, so the caller does not wait for it.
        await Task.Yield();
        try
        {
            while (await collector.NextAsync(() => !HasWaitingBatch).ConfigureAwait(false) is { } batch)
            {
                Interlocked.Increment(ref _waitingBatches);
                _work.Writer.TryWrite(batch);
            }
        }
        catch (Exception defect)
        {
            Fail(defect);
        }
    }

    private async Task DoAsync(LaneWriter writer, LaneCommands commands)
    {
        await foreach (var work in _work.Reader.ReadAllAsync(_abort.Token).ConfigureAwait(false))
        {
            if (_stopping.IsCancellationRequested)
                return;
            try
            {
                await DoAsync(work, writer, commands).ConfigureAwait(false);
            }
            catch (LaneStoppedException stopped)
            {
                Stop(stopped);
            }
        }
    }

    private async Task DoAsync(object work, LaneWriter writer, LaneCommands commands)
    {
        if (work is PendingCommands)
            await ExecuteAsync(commands).ConfigureAwait(false);
        else if (work is Exception error)
            Stop(error);
        // Otherwise the lane holds its batch until it is started again. Its reads show meanwhile whether the journal is available.
        else if (_ending == LaneEnding.None && context.History.IsKnown)
            await WriteAsync(writer, (LaneBatch)work).ConfigureAwait(false);
    }

    // What remains comes behind a batch that waits already.
    private async Task ExecuteAsync(LaneCommands commands)
    {
        try
        {
            if (_commands.Next is { } command)
                await ExecuteAsync(commands, command).ConfigureAwait(false);
        }
        finally
        {
            if (_commands.HasMore())
                _work.Writer.TryWrite(_commands);
        }
    }

    private async Task ExecuteAsync(LaneCommands commands, CommandRow command)
    {
        var isOver = true;
        try
        {
            isOver = await commands.ExecuteAsync(command, _abort.Token).ConfigureAwait(false);
        }
        finally
        {
            if (isOver)
                _commands.Over(command);
        }
    }

    private async Task WriteAsync(LaneWriter writer, LaneBatch batch)
    {
        // The collector may hand over the next batch from now on.
        Interlocked.Decrement(ref _waitingBatches);
        _queue!.Wake();
        Health.InHandSince = context.Time.GetTimestamp();
        using var activity = context.Telemetry.StartBatch(Number, batch.Events.Count);
        try
        {
            await writer.WriteAsync(batch, _abort.Token).ConfigureAwait(false);
        }
        catch (Exception error)
        {
            activity.SetFailed(error.InnerException ?? error);
            throw;
        }
        Health.InHandSince = null;
        _queue.Return(batch.Bytes);
    }

    // The lane handles no more events. It still executes commands, because one of them may be the cure.
    private void Stop(Exception error)
    {
        // Only the first error is reported.
        if (_ending == LaneEnding.Failed)
            return;
        _ending = LaneEnding.Failed;
        Health.Fail(ErrorText.Of(error));
        context.Telemetry.Stopped(Number, error);
        _queue?.Close();
        Changed(this);
    }
}

internal enum LaneEnding
{
    None,
    Stopped,

    /// <summary>Another process or a command changed its offsets or its epoch.</summary>
    Fenced,

    Failed,
}

/// <summary>The lane stops before an event. The message says at which event and why.</summary>
internal sealed class LaneStoppedException(string message, Exception cause) : Exception(message, cause);
