using Microsoft.Extensions.Logging;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Running;

/// <summary>Brings the actual state to the wanted one: renews leases, reads the state, then changes versions, lanes and commands. Calls do not overlap.</summary>
internal sealed class Reconciler(ProjectionContext context, ILogger log, Action wake, TimeSpan timeout)
{
    private const int MaxCommands = 1_000;

    private readonly ProjectionOptions _options = context.Options;
    private readonly IProjectionStore _store = context.Store;
    private readonly VersionLayout _layout = new(context, log);
    private readonly IReadOnlyList<JournalEndPoll> _ends =
        [.. context.Shards.Select((shard, index) => new JournalEndPoll(shard.End, context.Availability.Journal[index], context.Options.TimeProvider))];
    private readonly IReadOnlyList<HistorySearch> _histories = [.. context.Shards.Select(shard => new HistorySearch(shard.Now))];
    private readonly JournalProgress _progress = new(context);
    private readonly Dictionary<string, Task> _closing = new(StringComparer.Ordinal);
    private readonly Dictionary<string, VersionRun> _runs = new(StringComparer.Ordinal);
    private readonly Dictionary<(string Target, int Shard), (long Looks, long At)> _reported = [];
    private long? _renewedAt;

    internal CommandRun Commands { get; } = new(context, log, wake);

    internal IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> Reports { get; private set; } =
        new Dictionary<string, IReadOnlyList<LaneReport>>();

    /// <summary>How long the live version has been behind; null before it runs.</summary>
    internal ShardLags? LiveLag { get; private set; }

    internal bool HasTables { get; private set; }

    internal VersionRow? Live { get; private set; }

    internal async Task RunAsync(CancellationToken stopping, CancellationToken abort)
    {
        await CreateTablesAsync(stopping).ConfigureAwait(false);
        var round = _options.LaneOwnership.BeginRound();
        await RenewAsync(stopping).ConfigureAwait(false);
        // A running step changes what is read now. Its version gets the next snapshot.
        var busy = _runs.Values.Where(run => !run.IsIdle).Select(run => run.Version).ToHashSet(StringComparer.Ordinal);
        var mayCommand = Commands.IsIdle;
        var snapshot = await ReadAsync(stopping).ConfigureAwait(false);
        while (!await _layout.HoldsAsync(snapshot, stopping).ConfigureAwait(false))
            snapshot = await ReadAsync(stopping).ConfigureAwait(false);
        Live = snapshot.Versions.FirstOrDefault(row => row.Role == VersionRole.Live);
        // The stop may have timed out while the snapshot was read.
        stopping.ThrowIfCancellationRequested();
        Close(snapshot, abort);
        await PollAsync(snapshot, stopping).ConfigureAwait(false);
        if (mayCommand)
            Commands.Advance(snapshot, stopping);
        foreach (var row in snapshot.Versions.Where(row => row.Role != VersionRole.Retired && !busy.Contains(row.Version)))
            await AdvanceAsync(row, snapshot, stopping, abort).ConfigureAwait(false);
        CountUnowned(snapshot);
        // A step that still runs, has failed, or began before this round may own lanes that are not known here. A later round tells.
        if (busy.Count == 0 && _runs.Values.All(run => run.IsSettled) && _closing.Values.All(closing => closing.IsCompleted))
            _options.LaneOwnership.EndRound(round, [.. _runs.Values.SelectMany(run => run.Owned)]);
    }

    internal Task CloseAsync(CancellationToken abort)
    {
        foreach (var version in _runs.Keys.ToList())
            Close(version, abort);
        return Task.WhenAll(_closing.Values);
    }

    private async Task CreateTablesAsync(CancellationToken stopping)
    {
        if (HasTables)
            return;
        await _store.CreateTablesAsync(stopping).ConfigureAwait(false);
        if (await _store.WaitingReadsAsync(stopping).ConfigureAwait(false) is { } database)
            log.ReadsWait(_options.Name, database);
        HasTables = true;
    }

    private async Task RenewAsync(CancellationToken stopping)
    {
        var before = Reports;
        Reports = _runs.ToDictionary(run => run.Key, run => run.Value.Reports, StringComparer.Ordinal);
        foreach (var (version, reports) in Reports)
            context.Metrics?.Of(version).Set(reports, _progress.OffsetOf(Running(reports)));
        // Nothing has changed, and the leases are valid for long enough.
        if (_renewedAt is { } at && _options.TimeProvider.GetElapsedTime(at) < _options.LeaseDuration / 3 && AreEqual(before, Reports))
            return;
        var now = _options.TimeProvider.GetTimestamp();
        await _store.RenewAsync(_options.Name, context.ProcessName, _options.LeaseDuration, Reports, stopping).ConfigureAwait(false);
        _renewedAt = now;
    }

    private static bool AreEqual(
        IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> before, IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> now) =>
        before.Count == now.Count && now.All(version => before.TryGetValue(version.Key, out var lanes) && lanes.SequenceEqual(version.Value));

    // The offset of a lane that does not run is not known.
    private static IReadOnlyList<LaneReport> Running(IReadOnlyList<LaneReport> reports) => [.. reports.Where(lane => lane.State != LaneState.Idle)];

    private Task<ProjectionSnapshot> ReadAsync(CancellationToken stopping) => _store.ReadAsync(_options.Name, MaxCommands, stopping);

    private void Close(ProjectionSnapshot snapshot, CancellationToken abort)
    {
        var run = snapshot.Versions.Where(row => row.Role != VersionRole.Retired).Select(row => row.Version).ToHashSet(StringComparer.Ordinal);
        foreach (var version in _runs.Keys.Where(version => !run.Contains(version)).ToList())
            Close(version, abort);
    }

    // Runs beside reconciliation, because the current batches may take long. What they write is fenced.
    private void Close(string version, CancellationToken abort)
    {
        context.Metrics?.Forget(version);
        if (_runs.Remove(version, out var run))
            _closing[version] = run.CloseAsync(abort);
    }

    // Of all versions, also of one whose step takes long. A lane that this process has just claimed may have no owner in the snapshot.
    private void CountUnowned(ProjectionSnapshot snapshot)
    {
        foreach (var version in snapshot.Versions.Where(row => row.Role != VersionRole.Retired).Select(row => row.Version))
            context.Metrics?.Of(version).UnownedLanes = snapshot.Lanes.Count(lane => lane.Version == version && lane.Owner is null && !Owns(version, lane.Lane));

        bool Owns(string version, int lane) => _runs.TryGetValue(version, out var run) && run.Owned.Contains(lane);
    }

    private async Task PollAsync(ProjectionSnapshot snapshot, CancellationToken stopping)
    {
        var led = snapshot.Versions.Where(row => Leadership.Leads(row.Version, snapshot, context.ProcessName)).ToList();
        for (var shard = 0; shard < _ends.Count; shard++)
        {
            if (led.Count > 0)
                _ends[shard].Poll(stopping);
            else
                _ends[shard].Leave();
            await ReportAsync(shard, led, stopping).ConfigureAwait(false);
            await StoreHistoryAsync(shard, led, stopping).ConfigureAwait(false);
        }
    }

    private async Task ReportAsync(int shard, List<VersionRow> led, CancellationToken stopping)
    {
        foreach (var row in led.Where(row => IsDue(row, shard)))
        {
            _reported[(row.Version, shard)] = (_ends[shard].Polls, _options.TimeProvider.GetTimestamp());
            await _store.SetJournalEndAsync(row.Version, context.Shards[shard].Number, _ends[shard].Seen, stopping).ConfigureAwait(false);
        }
    }

    // The lanes of the shard wait for it.
    private async Task StoreHistoryAsync(int shard, List<VersionRow> led, CancellationToken stopping)
    {
        var slices = context.Shards[shard].Slices;
        List<VersionRow> unknown = [.. led.Where(row => !row.History.Within(slices).IsKnown)];
        if (unknown.Count == 0 || _ends[shard].Polls == 0 || _histories[shard].Take(stopping) is not { } end)
            return;
        foreach (var row in unknown)
        {
            await _store.SetHistoryEndAsync(row.Version, row.Epoch, slices, end, stopping).ConfigureAwait(false);
            wake();
        }
    }

    // Reported from time to time although it has not changed. Otherwise the lag would be unknown.
    // An empty shard is reported too. Otherwise the lag of the other shards would be unknown.
    private bool IsDue(VersionRow row, int shard) => _ends[shard].Polls > 0 && (_ends[shard].Seen != 0 || context.Map.Count > 1)
        && (row.JournalEndOf(context.Shards[shard].Number) != _ends[shard].Seen || !_reported.TryGetValue((row.Version, shard), out var told)
            || (_ends[shard].Polls > told.Looks && _options.TimeProvider.GetElapsedTime(told.At) >= StatusView.JournalEndIsOld / 3));

    private async Task AdvanceAsync(VersionRow row, ProjectionSnapshot snapshot, CancellationToken stopping, CancellationToken abort)
    {
        // The memory limit of a lane depends on the number of lanes, so a new number needs a new worker.
        if (_runs.TryGetValue(row.Version, out var run) && run.Lanes != row.Lanes)
        {
            Close(row.Version, abort);
            run = null;
        }
        if (run is null)
        {
            // The version was divided anew, or dropped and rebuilt. The old worker must have ended first.
            if (_closing.TryGetValue(row.Version, out var closing) && !closing.IsCompleted)
                return;
            stopping.ThrowIfCancellationRequested();
            _runs[row.Version] = run = new(context, row, log, wake);
        }
        await run.AdvanceAsync(VersionView.Of(snapshot, row), timeout, stopping, abort).ConfigureAwait(false);
        var running = Running(run.Reports);
        run.Lag.Observe(_progress.OfShards(running, JournalEndOf));
        LiveLag = row.Role == VersionRole.Live ? run.Lag : LiveLag;
        context.Metrics?.Of(row.Version).SetJournalEnd(_progress.JournalEndOf(running, JournalEndOf), run.Lag);
        run.Execute([.. snapshot.Commands.Where(command => command.IsForLane && command.Version == row.Version)]);

        long JournalEndOf(int shard) => Math.Max(row.JournalEndOf(context.Shards[shard].Number), _ends[shard].Seen);
    }
}
