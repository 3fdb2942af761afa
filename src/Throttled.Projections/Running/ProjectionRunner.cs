using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Throttled.Journal.Loop;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Store;

namespace Throttled.Projections.Running;

/// <summary>
/// Shares a projection with other processes: one loop that tells the database that this one is alive, reads how things are, and sees to it that the
/// lanes that are its own run here. The lanes need it only for that; they go on by themselves while it fails.
/// </summary>
internal sealed class ProjectionRunner : IDisposable
{
    /// <summary>Reconciliations are not closer than this, whatever wakes them.</summary>
    private static readonly TimeSpan Least = TimeSpan.FromMilliseconds(100);

    private const int ManyFences = 10;

    private static readonly TimeSpan Most = TimeSpan.FromSeconds(1);

    private readonly ProjectionOptions _options;
    private readonly ProjectionParts _parts;
    private readonly ILogger _log;
    private readonly Alarm _alarm;
    private readonly ProjectionRounds _rounds;
    private readonly TimeSpan _interval;
    private readonly CancellationTokenSource _stopping = new();
    private readonly CancellationTokenSource _hurry = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ProjectionException? _end;
    private int _failures;
    private int _fences;

    internal ProjectionRunner(ProjectionParts parts)
    {
        _parts = parts;
        _options = parts.Options;
        _log = (_options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger(ProjectionLog.Category);
        _alarm = new(_options.TimeProvider, parts.Continuations);
        // The log reports it to those who do not observe the task.
        _ = _completion.Task.ContinueWith(
            static end => end.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        _interval = TimeSpan.FromTicks(Math.Clamp(_options.LeaseDuration.Ticks / 10, Least.Ticks, Most.Ticks));
        Progress = new(parts);
        _rounds = new(parts, _log, _alarm.Ring, _interval);
    }

    /// <summary>Ends when it was stopped, and fails with <see cref="ProjectionException"/> where it cannot go on.</summary>
    internal Task Completion => _completion.Task;

    /// <summary>Why the tables cannot be used; null where they can.</summary>
    internal string? StoreAway { get; private set; }

    /// <summary>Since when, as the clock's timestamp.</summary>
    internal long StoreAwaySince { get; private set; }

    /// <summary>Why the handler cannot make its read model; null where it can, or was not asked.</summary>
    internal string? HandlerFault { get; private set; }

    /// <summary>How far the lanes have come.</summary>
    internal JournalProgress Progress { get; }

    /// <summary>Why the journal cannot be read, and for how long; null where it can. Of several shards that cannot, of the one that has not been for longest.</summary>
    internal (string Reason, TimeSpan Lasts)? JournalOutage => _parts.Outages.Journal.Select(shard => shard.Now).MaxBy(outage => outage?.Lasts);

    /// <summary>The live version as it was read last; null where it was not.</summary>
    internal TargetRow? Live => _rounds.Live;

    /// <summary>How this process's lanes do, by version.</summary>
    internal IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> Reports => _rounds.Reports;

    /// <summary>Runs until it is stopped. Called once; it does not fail.</summary>
    internal async Task RunAsync()
    {
        _log.Started(_options.Name, _parts.Member, _options.Source);
        var loop = LoopAsync();
        await loop.WaitAsync(_stopping.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await new ProjectionStop(_parts, _log).RunAsync(loop, _rounds, _stopping, _hurry).ConfigureAwait(false);
        if (_end is null)
            _log.Stopped(_options.Name);
        _ = _end is null ? _completion.TrySetResult() : _completion.TrySetException(_end);
    }

    /// <summary>Begins to stop: batches in hand are finished.</summary>
    internal void Stop() => _stopping.Cancel();

    /// <summary>Batches in hand are rolled back, where it stops.</summary>
    internal void Hurry() => _hurry.Cancel();

    /// <summary>After it has ended, or where it was never run.</summary>
    public void Dispose()
    {
        _parts.Metrics?.Dispose();
        _stopping.Dispose();
        _hurry.Dispose();
    }

    private async Task LoopAsync()
    {
        try
        {
            while (!_stopping.IsCancellationRequested)
                await PauseAsync(await RoundAsync().ConfigureAwait(false)).ConfigureAwait(false);
        }
        catch (ProjectionException error)
        {
            _log.Ended(_options.Name, error.Message);
            _end = error;
        }
    }

    /// <returns>How long to wait before the next one.</returns>
    private async Task<TimeSpan> RoundAsync()
    {
        try
        {
            await _rounds.RunAsync(_stopping.Token, _hurry.Token).ConfigureAwait(false);
            Succeeded();
            return _interval;
        }
        catch (FencedException fenced)
        {
            // Somebody was quicker; how things are now the next reconciliation reads.
            if (++_fences == ManyFences)
                _log.Unsettled(_options.Name, fenced.Message);
            return Least;
        }
        catch (OperationCanceledException) when (_stopping.IsCancellationRequested)
        {
            return TimeSpan.Zero;
        }
        catch (HookException error)
        {
            return Failed(error);
        }
        catch (Exception error) when (error is not ProjectionException)
        {
            return Away(error);
        }
    }

    private void Succeeded()
    {
        _parts.Outages.ReadModel.Has(this);
        (_failures, _fences) = (0, 0);
        (StoreAway, HandlerFault) = (null, null);
    }

    // It may need what others have yet to make.
    private TimeSpan Failed(HookException error)
    {
        _parts.Outages.ReadModel.Has(this);
        if (HandlerFault != error.Message)
            _log.HandlerFails(_options.Name, error.Message, error);
        (StoreAway, HandlerFault) = (null, error.Message);
        return Pause();
    }

    // Whatever it is: giving up would need a person, and a person who mends the database should not have to start this process too. The lanes go
    // on meanwhile. A claim that could not be renewed is not taken for lost: whoever claims the lane moves its offsets, and that fences this one.
    private TimeSpan Away(Exception error)
    {
        if (StoreAway is null)
            StoreAwaySince = _options.TimeProvider.GetTimestamp();
        StoreAway = ErrorText.Of(error);
        _parts.Outages.ReadModel.Misses(this, error);
        return Pause();
    }

    private TimeSpan Pause()
    {
        // Claims would run out between two attempts, so that who is unlucky for long would never have all of its lanes.
        var most = _options.LeaseDuration / 2;
        var pause = BackOff.Delay(_failures++, _parts.Random.NextDouble());
        return pause < most ? pause : most;
    }

    private async Task PauseAsync(TimeSpan pause)
    {
        await _alarm.RestAsync(Least, _stopping.Token).ConfigureAwait(false);
        if (pause > Least)
            await _alarm.WaitAsync(pause - Least, _stopping.Token).ConfigureAwait(false);
    }
}
