using Microsoft.Extensions.Logging;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Reads;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Running;

/// <summary>
/// Runs one version in this process: claims lanes, starts and stops them, and releases those above its share. A step may wait for running batches,
/// while the runner renews the leases.
/// </summary>
internal sealed class VersionRun
{
    private const long NotStopped = -1;

    private static readonly TimeSpan WorkerTick = TimeSpan.FromSeconds(1);

    private readonly ProjectionContext _context;
    private readonly ILaneWorker _worker;
    private readonly ILogger _log;
    private readonly TimeProvider _clock;
    private readonly Action _wake;
    // Lanes that were started before the end of their history was known. They start again when it is.
    private readonly HashSet<int> _waiting = [];
    private IReadOnlySet<int> _owned = new HashSet<int>();
    private IReadOnlyList<SliceRange> _slices = [];
    private Task _step = Task.CompletedTask;
    private long? _epoch;
    private bool _isPaused;
    private long _stoppedAfter = NotStopped;
    private long _resumes;
    private long _ticked;

    internal VersionRun(ProjectionContext context, VersionRow row, ILogger log, Action wake)
    {
        _context = context;
        _log = log;
        _clock = context.Options.TimeProvider;
        _worker = context.CreateWorker(row);
        _worker.LaneEnded = _wake = wake;
        _resumes = row.Resumes;
        _ticked = _clock.GetTimestamp();
        Version = row.Version;
        Lanes = row.Lanes;
        Lag = new(_clock, context.Shards.Count);
    }

    internal string Version { get; }

    internal int Lanes { get; }

    internal ShardLags Lag { get; }

    /// <summary>All lanes that this process owns, running or not.</summary>
    internal IReadOnlyList<LaneReport> Reports
    {
        get
        {
            var reports = _worker.Reports;
            return
            [
                .. reports,
                .. from lane in _owned.Except(reports.Select(report => report.Lane))
                   select new LaneReport(lane, LaneState.Idle, null, 0) { Slices = _slices.ElementAtOrDefault(lane), StoppedAfterResumes = StoppedAfter },
            ];
        }
    }

    /// <summary>A snapshot from before the last step ended is too old for the next one.</summary>
    internal bool IsIdle => _step.IsCompleted;

    internal bool IsSettled => _step.IsCompletedSuccessfully;

    /// <summary>Starts a step and waits for it for some time. The view was read after the last step ended.</summary>
    internal async Task AdvanceAsync(VersionView view, TimeSpan timeout, CancellationToken stopping, CancellationToken abort)
    {
        await TakeStep().ConfigureAwait(false);
        _step = StepAsync(view, stopping, abort);
        await _step.WaitAsync(timeout, _clock, CancellationToken.None).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (_step.IsCompleted)
            await TakeStep().ConfigureAwait(false);
    }

    /// <summary>The lanes that this process owns after the last step.</summary>
    internal IReadOnlySet<int> Owned => _owned;

    internal void Execute(IReadOnlyList<CommandRow> waiting)
    {
        if (_step.IsCompleted)
            _worker.Execute(waiting);
    }

    internal async Task CloseAsync(CancellationToken abort)
    {
        await TakeStep().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _worker.LaneEnded = null;
        _owned = new HashSet<int>();
        await _worker.StopAsync(Running(), abort).ConfigureAwait(false);
        await _worker.DisposeAsync().ConfigureAwait(false);
    }

    private Task TakeStep() => Interlocked.Exchange(ref _step, Task.CompletedTask);

    private async Task StepAsync(VersionView view, CancellationToken stopping, CancellationToken abort)
    {
        if (_epoch != view.Row.Epoch)
            await StopAsync(Running(), abort).ConfigureAwait(false);
        _epoch = view.Row.Epoch;
        var owned = await ClaimedAsync(view, stopping).ConfigureAwait(false);
        LogClaims(view, owned.Except(_owned));
        _slices = [.. view.Lanes.Select(lane => lane.Slices)];
        _owned = owned;
        await StopAsync([.. Running().Except(owned)], abort).ConfigureAwait(false);
        await ReleaseAsync(view, owned, stopping, abort).ConfigureAwait(false);
        stopping.ThrowIfCancellationRequested();
        await RunAsync(view, abort).ConfigureAwait(false);
    }

    private async Task<HashSet<int>> ClaimedAsync(VersionView view, CancellationToken stopping)
    {
        // The lease expired because the database was unavailable, and no other process claimed the lane. This process claims it again, so the lane
        // need not move.
        var expired = Running().Where(lane => lane < view.Owners.Count && view.Owners[lane] is null).ToHashSet();
        var owners = view.Owners.Select((owner, lane) => expired.Contains(lane) ? _context.ProcessName : owner).ToList();
        var owned = Enumerable.Range(0, owners.Count).Where(lane => view.Owners[lane] == _context.ProcessName).ToHashSet();
        var lanes = OwnersOf(view, owners);
        int[] wanted = [.. expired.Except(Ownership.Release(lanes)), .. Ownership.Claim(lanes).Intersect(lanes.Free)];
        if (wanted.Length > 0)
        {
            owned.UnionWith(await _context.Store.ClaimAsync(
                Version, view.Row.Epoch, wanted, _context.ProcessName, _context.Options.LeaseDuration, stopping).ConfigureAwait(false));
        }
        return owned;
    }

    private void LogClaims(VersionView view, IEnumerable<int> claimed)
    {
        foreach (var lane in claimed.Order().Select(lane => view.Lanes[lane]))
        {
            if (lane.Expired is { } before && before != _context.ProcessName)
                _log.TakenOver(Version, lane.Lane, lane.Slices, before);
            else
                _log.Claimed(Version, lane.Lane, lane.Slices);
        }
    }

    private async Task ReleaseAsync(VersionView view, HashSet<int> owned, CancellationToken stopping, CancellationToken abort)
    {
        var owners = view.Owners.Select((owner, lane) => owned.Contains(lane) ? _context.ProcessName : owner).ToList();
        int[] release = [.. Ownership.Release(OwnersOf(view, owners)).Where(owned.Contains)];
        if (release.Length == 0)
            return;
        await StopAsync(release, abort).ConfigureAwait(false);
        await _context.Store.ReleaseAsync(Version, release, _context.ProcessName, stopping).ConfigureAwait(false);
        _owned = owned.Except(release).ToHashSet();
        foreach (var lane in release)
            _log.Released(Version, lane);
    }

    private long? StoppedAfter => Volatile.Read(ref _stoppedAfter) is not NotStopped and var resumes ? resumes : null;

    private LaneOwnership Ownership => _context.Options.LaneOwnership;

    private LaneOwners OwnersOf(VersionView view, IReadOnlyList<string?> owners) => new(Version, _context.ProcessName, owners, view.Processes);

    private void LogPause(VersionRow row)
    {
        if (row.IsPaused && !_isPaused)
            _log.Paused(row.Projection, Version);
        else if (!row.IsPaused && (_isPaused || row.Resumes > _resumes))
            _log.Resumed(row.Projection, Version);
        _isPaused = row.IsPaused;
    }

    private async Task RunAsync(VersionView view, CancellationToken abort)
    {
        LogPause(view.Row);
        if (view.Row.IsPaused)
        {
            await StopAsync(Running(), abort).ConfigureAwait(false);
            ReportStop(view.Row.Resumes);
            return;
        }
        var again = view.Row.Resumes > _resumes ? Running(LaneState.Failed) : [];
        _resumes = view.Row.Resumes;
        // They hold their batches, so they stop at once.
        await StopAsync([.. _waiting.Intersect(_owned).Where(lane => view.LaneOf(lane).History.IsKnown)], abort).ConfigureAwait(false);
        LaneRow[] start = [.. _owned.Except(Running()).Concat(again).Order().Select(view.LaneOf)];
        _waiting.ExceptWith(start.Select(lane => lane.Lane));
        _waiting.UnionWith(start.Where(lane => !lane.History.IsKnown).Select(lane => lane.Lane));
        if (start.Length > 0)
            _worker.Start(start, view.Row.Epoch);
        Tick();
    }

    // A caller may wait for this report.
    private void ReportStop(long resumes)
    {
        if (StoppedAfter == resumes)
            return;
        Volatile.Write(ref _stoppedAfter, resumes);
        _wake();
    }

    private void Tick()
    {
        // The runner reconciles every second or sooner, and timers fire a little early or late.
        if (_clock.GetElapsedTime(_ticked) < WorkerTick * 0.9)
            return;
        _ticked = _clock.GetTimestamp();
        _worker.Tick();
    }

    private Task StopAsync(IReadOnlyCollection<int> lanes, CancellationToken abort) =>
        lanes.Count == 0 ? Task.CompletedTask : _worker.StopAsync(lanes, abort);

    private int[] Running(LaneState? state = null) =>
        [.. _worker.Reports.Where(report => state is null || report.State == state).Select(report => report.Lane)];
}

internal sealed record VersionView(VersionRow Row, IReadOnlyList<LaneRow> Lanes, IReadOnlyList<string> Processes)
{
    internal IReadOnlyList<string?> Owners { get; } = [.. Lanes.Select(lane => lane.Owner)];

    /// <summary>A lane with what its version tells about it.</summary>
    internal LaneRow LaneOf(int lane) => Lanes[lane] with { History = Row.History.Within(Lanes[lane].Slices), IsBuilding = Row.Role == VersionRole.Building };

    internal static VersionView Of(ProjectionSnapshot snapshot, VersionRow row) =>
        new(row, [.. snapshot.Lanes.Where(lane => lane.Version == row.Version).OrderBy(lane => lane.Lane)], snapshot.Processes);
}
