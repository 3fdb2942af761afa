using Microsoft.Extensions.Logging;
using Throttled.Journal;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Lanes;
using Throttled.Projections.Leases;
using Throttled.Projections.Store;

namespace Throttled.Projections.Running;

/// <summary>
/// What this process does for one version: claims lanes, has its worker run its own lanes, gives back what is too many. A step may wait for
/// batches in hand; the runner goes on meanwhile, renews the claims, and begins the next step when this one has ended.
/// </summary>
internal sealed class TargetRun
{
    private static readonly TimeSpan CrewTick = TimeSpan.FromSeconds(1);

    private readonly ProjectionParts _parts;
    private readonly ILaneCrew _crew;
    private readonly ILogger _log;
    private readonly TimeProvider _clock;
    private IReadOnlySet<int> _owned = new HashSet<int>();
    private IReadOnlyList<SliceRange> _slices = [];
    private Task _step = Task.CompletedTask;
    private long? _epoch;
    private bool _isPaused;
    private long _resumes;
    private long _ticked;

    internal TargetRun(ProjectionParts parts, TargetRow row, ILogger log, Action wake)
    {
        _parts = parts;
        _log = log;
        _clock = parts.Options.TimeProvider;
        _crew = parts.Crew(row);
        _crew.LaneEnded = wake;
        _resumes = row.Resumes;
        _ticked = _clock.GetTimestamp();
        Target = row.Target;
        Lanes = row.Lanes;
    }

    internal string Target { get; }

    /// <summary>How many lanes it was made for.</summary>
    internal int Lanes { get; }

    /// <summary>Of all lanes that are this process's, whether they run or stand still.</summary>
    internal IReadOnlyList<LaneReport> Reports
    {
        get
        {
            var reports = _crew.Reports;
            return [.. reports, .. _owned.Except(reports.Select(report => report.Lane)).Select(lane => new LaneReport(lane, LaneState.Idle, null, 0) { Slices = _slices.ElementAtOrDefault(lane) })];
        }
    }

    /// <summary>Whether no step is under way; what was read before one ended is too old for the next.</summary>
    internal bool IsIdle => _step.IsCompleted;

    /// <summary>Begins a step where none is under way, and waits for it a while.</summary>
    /// <param name="view">The version as it was read since the last step ended.</param>
    /// <param name="most">For how long it waits.</param>
    /// <param name="stopping">The runner stops.</param>
    /// <param name="hurry">Batches in hand are rolled back.</param>
    internal async Task AdvanceAsync(TargetView view, TimeSpan most, CancellationToken stopping, CancellationToken hurry)
    {
        await TakeStep().ConfigureAwait(false);
        _step = StepAsync(view, stopping, hurry);
        await _step.WaitAsync(most, _clock, CancellationToken.None).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (_step.IsCompleted)
            await TakeStep().ConfigureAwait(false);
    }

    /// <summary>Gives the worker a command for a lane.</summary>
    internal void Execute(CommandRow command)
    {
        if (_step.IsCompleted)
            _crew.Execute(command);
    }

    /// <summary>Stops the worker for good, when the step in hand has ended.</summary>
    internal async Task CloseAsync(CancellationToken hurry)
    {
        await TakeStep().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _crew.LaneEnded = null;
        _owned = new HashSet<int>();
        await _crew.StopAsync(Running(), hurry).ConfigureAwait(false);
        await _crew.DisposeAsync().ConfigureAwait(false);
    }

    private Task TakeStep() => Interlocked.Exchange(ref _step, Task.CompletedTask);

    private async Task StepAsync(TargetView view, CancellationToken stopping, CancellationToken hurry)
    {
        if (_epoch != view.Row.Epoch)
            await StopAsync(Running(), hurry).ConfigureAwait(false);
        _epoch = view.Row.Epoch;
        var owned = await ClaimedAsync(view, stopping).ConfigureAwait(false);
        TellClaims(view, owned.Except(_owned));
        _slices = [.. view.Lanes.Select(lane => lane.Slices)];
        _owned = owned;
        await StopAsync([.. Running().Except(owned)], hurry).ConfigureAwait(false);
        await ReleaseAsync(view, owned, stopping, hurry).ConfigureAwait(false);
        stopping.ThrowIfCancellationRequested();
        await RunAsync(view, hurry).ConfigureAwait(false);
    }

    private async Task<HashSet<int>> ClaimedAsync(TargetView view, CancellationToken stopping)
    {
        // A claim ran out, because the database could not be reached, and nobody took the lane: it need not move for that.
        var expired = Running().Where(lane => lane < view.Owners.Count && view.Owners[lane] is null).ToHashSet();
        var owners = view.Owners.Select((owner, lane) => expired.Contains(lane) ? _parts.Member : owner).ToList();
        var owned = Enumerable.Range(0, owners.Count).Where(lane => view.Owners[lane] == _parts.Member).ToHashSet();
        int[] wanted = [.. expired, .. LanePlan.For(owners, view.Members, _parts.Member).Claim];
        if (wanted.Length > 0)
        {
            owned.UnionWith(await _parts.Store.ClaimAsync(
                Target, view.Row.Epoch, wanted, _parts.Member, _parts.Options.LeaseDuration, stopping).ConfigureAwait(false));
        }
        return owned;
    }

    private void TellClaims(TargetView view, IEnumerable<int> claimed)
    {
        foreach (var lane in claimed.Order().Select(lane => view.Lanes[lane]))
        {
            if (lane.Expired is { } before && before != _parts.Member)
                _log.TakenOver(Target, lane.Lane, lane.Slices, before);
            else
                _log.Claimed(Target, lane.Lane, lane.Slices);
        }
    }

    private async Task ReleaseAsync(TargetView view, HashSet<int> owned, CancellationToken stopping, CancellationToken hurry)
    {
        var release = LanePlan.For([.. view.Owners.Select((owner, lane) => owned.Contains(lane) ? _parts.Member : owner)], view.Members, _parts.Member).Release;
        if (release.Count == 0)
            return;
        await StopAsync(release, hurry).ConfigureAwait(false);
        await _parts.Store.ReleaseAsync(Target, release, _parts.Member, stopping).ConfigureAwait(false);
        _owned = owned.Except(release).ToHashSet();
        foreach (var lane in release)
            _log.Released(Target, lane);
    }

    private void TellPause(TargetRow row)
    {
        if (row.IsPaused && !_isPaused)
            _log.Paused(row.Name, Target);
        else if (!row.IsPaused && (_isPaused || row.Resumes > _resumes))
            _log.Resumed(row.Name, Target);
        _isPaused = row.IsPaused;
    }

    private async Task RunAsync(TargetView view, CancellationToken hurry)
    {
        TellPause(view.Row);
        if (view.Row.IsPaused)
        {
            await StopAsync(Running(), hurry).ConfigureAwait(false);
            return;
        }
        var again = view.Row.Resumes > _resumes ? Running(LaneState.Failed) : [];
        _resumes = view.Row.Resumes;
        int[] start = [.. _owned.Except(Running()).Concat(again).Order()];
        if (start.Length > 0)
            _crew.Start([.. start.Select(lane => view.Lanes[lane])], view.Row.Epoch);
        Tick();
    }

    private void Tick()
    {
        // The runner reconciles every second or sooner, and timers ring a little early or late.
        if (_clock.GetElapsedTime(_ticked) < CrewTick * 0.9)
            return;
        _ticked = _clock.GetTimestamp();
        _crew.Tick();
    }

    private Task StopAsync(IReadOnlyCollection<int> lanes, CancellationToken hurry) =>
        lanes.Count == 0 ? Task.CompletedTask : _crew.StopAsync(lanes, hurry);

    private int[] Running(LaneState? state = null) =>
        [.. _crew.Reports.Where(report => state is null || report.State == state).Select(report => report.Lane)];
}
