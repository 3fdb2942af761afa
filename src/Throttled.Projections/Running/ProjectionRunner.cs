using System.Diagnostics;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Logging;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Loop;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Running;

/// <summary>Shares a projection with other processes. Lanes that run do not depend on the loop: they continue while it fails.</summary>
internal sealed class ProjectionRunner : IDisposable
{
    private const int ManyFences = 10;

    private static readonly TimeSpan MinInterval = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan MaxInterval = TimeSpan.FromSeconds(1);

    private readonly ProjectionOptions _options;
    private readonly ProjectionContext _context;
    private readonly ILogger _log;
    private readonly WakeUp _wakeUp;
    private readonly Reconciler _reconciler;
    private readonly TimeSpan _interval;
    private readonly CancellationTokenSource _stopping = new();
    private readonly CancellationTokenSource _abort = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ProjectionException? _end;
    private int _failures;
    private int _fences;

    internal ProjectionRunner(ProjectionContext context)
    {
        _context = context;
        _options = context.Options;
        _log = (_options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger(ProjectionLog.Category);
        _wakeUp = new(_options.TimeProvider, context.Continuations);
        // Observes the exception, because the log reports it even if the user does not await the task.
        _ = _completion.Task.ContinueWith(
            static end => end.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        _interval = TimeSpan.FromTicks(Math.Clamp(_options.LeaseDuration.Ticks / 10, MinInterval.Ticks, MaxInterval.Ticks));
        Progress = new(context);
        _reconciler = new(context, _log, _wakeUp.Signal, _interval);
    }

    internal Task Completion => _completion.Task;

    internal string? StoreUnavailable { get; private set; }

    internal long StoreUnavailableSince { get; private set; }

    internal string? HandlerFault { get; private set; }

    internal JournalProgress Progress { get; }

    /// <summary>If several shards cannot be read, the longest failure.</summary>
    internal (string Reason, TimeSpan Lasts)? JournalUnavailable => _context.Availability.Journal.Select(shard => shard.Unavailable).MaxBy(outage => outage?.Lasts);

    internal VersionRow? Live => _reconciler.Live;

    internal ShardLags? LiveLag => _reconciler.LiveLag;

    internal IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> Reports => _reconciler.Reports;

    /// <summary>Called once, before <see cref="RunAsync"/>.</summary>
    internal void Attach() => _options.LaneOwnership.Attach(_wakeUp.Signal);

    internal async Task RunAsync()
    {
        _log.Started(_options.Name, _context.ProcessName, _options.Source);
        var loop = LoopAsync();
        await loop.WaitAsync(_stopping.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await new ProjectionStop(_context, _log).RunAsync(loop, _reconciler, _stopping, _abort).ConfigureAwait(false);
        _options.LaneOwnership.Detach();
        if (_end is null)
            _log.Stopped(_options.Name);
        _ = _end is null ? _completion.TrySetResult() : _completion.TrySetException(_end);
    }

    internal void Stop() => _stopping.Cancel();

    internal void Abort() => _abort.Cancel();

    public void Dispose()
    {
        _context.Metrics?.Dispose();
        _stopping.Dispose();
        _abort.Dispose();
    }

    private async Task LoopAsync()
    {
        // The loop does not belong to the trace of the caller who started it.
        Activity.Current = null;
        try
        {
            while (!_stopping.IsCancellationRequested)
                await DelayAsync(await ReconcileAsync().ConfigureAwait(false)).ConfigureAwait(false);
        }
        catch (ProjectionException error)
        {
            _log.Ended(_options.Name, error.Message);
            _end = error;
        }
    }

    // Returns the time to wait before the next reconciliation.
    private async Task<TimeSpan> ReconcileAsync()
    {
        using var quiet = BackgroundActivity.Start(ProjectionInstruments.OfThisProcess.Activities, "reconcile");
        try
        {
            await _reconciler.RunAsync(_stopping.Token, _abort.Token).ConfigureAwait(false);
            Succeeded();
            return _interval;
        }
        catch (FencedException fenced)
        {
            // Another process was faster. The next reconciliation reads the new state.
            if (++_fences == ManyFences)
                _log.Unsettled(_options.Name, fenced.Message);
            return MinInterval;
        }
        catch (OperationCanceledException) when (_stopping.IsCancellationRequested)
        {
            return TimeSpan.Zero;
        }
        catch (HookException error)
        {
            return Failed(error);
        }
        catch (JournalUnavailableException)
        {
            _context.Availability.ReadModel.Recovered(this);
            (StoreUnavailable, HandlerFault) = (null, null);
            return RetryDelay();
        }
        catch (Exception error) when (error is not ProjectionException)
        {
            return Unavailable(error);
        }
    }

    private void Succeeded()
    {
        _context.Availability.ReadModel.Recovered(this);
        (_failures, _fences) = (0, 0);
        _context.Metrics?.IsUnavailable = false;
        (StoreUnavailable, HandlerFault) = (null, null);
    }

    // The handler may need something that others have yet to create.
    private TimeSpan Failed(HookException error)
    {
        _context.Availability.ReadModel.Recovered(this);
        if (HandlerFault != error.Message)
            _log.HandlerFails(_options.Name, error.Message, error);
        (StoreUnavailable, HandlerFault) = (null, error.Message);
        return RetryDelay();
    }

    // Any other error is repeated. To end the projection would need an operator, who should not also have to restart this process after repairing the
    // database. The lanes continue in the meantime. A lease that could not be renewed is not treated as lost: if another process claims the lane, it
    // moves the offsets, and that fences this process.
    private TimeSpan Unavailable(Exception error)
    {
        if (StoreUnavailable is null)
            StoreUnavailableSince = _options.TimeProvider.GetTimestamp();
        StoreUnavailable = ErrorText.Of(error);
        _context.Metrics?.IsUnavailable = true;
        _context.Availability.ReadModel.Failed(this, error);
        return RetryDelay();
    }

    private TimeSpan RetryDelay()
    {
        // With longer pauses, leases would expire between two attempts, and this process might never own all of its lanes.
        var most = _options.LeaseDuration / 2;
        var pause = BackOff.Delay(_failures++, _context.Random.NextDouble());
        return pause < most ? pause : most;
    }

    private async Task DelayAsync(TimeSpan delay)
    {
        await _wakeUp.DelayAsync(MinInterval, _stopping.Token).ConfigureAwait(false);
        if (delay > MinInterval)
            await _wakeUp.WaitAsync(delay - MinInterval, _stopping.Token).ConfigureAwait(false);
    }
}

/// <summary>Wakes a loop after a time, or at once when it is signaled. One loop waits; any thread may signal.</summary>
internal sealed class WakeUp(TimeProvider clock, TaskCreationOptions continuations = TaskCreationOptions.RunContinuationsAsynchronously)
{
    private TaskCompletionSource _signal = new(continuations);

    internal void Signal() => Volatile.Read(ref _signal).TrySetResult();

    /// <summary>Returns after the time, even if it is signaled, or when it is cancelled. It does not throw, and keeps the signal.</summary>
    internal async Task DelayAsync(TimeSpan time, CancellationToken cancellation) =>
        await new TaskCompletionSource().Task.WaitAsync(time, clock, cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    internal async Task WaitAsync(TimeSpan timeout, CancellationToken cancellation)
    {
        await _signal.Task.WaitAsync(timeout, clock, cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        // A signal from here on is new. An earlier signal is about to be handled.
        if (_signal.Task.IsCompleted)
            Volatile.Write(ref _signal, new(continuations));
    }
}
