using Microsoft.Extensions.Logging;
using Throttled.Projections.Store;

namespace Throttled.Projections.Running;

/// <summary>Brings the actual state to the wanted one, step by step: renews, reads, then changes versions, lanes and commands. Calls do not overlap.</summary>
internal sealed class ProjectionRounds(ProjectionParts parts, ILogger log, Action wake, TimeSpan patience)
{
    private const int MostCommands = 1_000;

    private readonly ProjectionOptions _options = parts.Options;
    private readonly IProjectionStore _store = parts.Store;
    private readonly TargetLayout _layout = new(parts, log);
    private readonly IReadOnlyList<JournalEndWatch> _ends =
        [.. parts.Shards.Select((shard, index) => new JournalEndWatch(shard.End, parts.Outages.Journal[index], parts.Options.TimeProvider))];
    private readonly JournalProgress _progress = new(parts);
    private readonly Dictionary<string, Task> _closing = new(StringComparer.Ordinal);
    private readonly Dictionary<string, TargetRun> _runs = new(StringComparer.Ordinal);
    private readonly Dictionary<(string Target, int Shard), (long Looks, long At)> _told = [];
    private long? _renewedAt;

    internal CommandRun Commands { get; } = new(parts, log, wake);

    internal IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> Reports { get; private set; } =
        new Dictionary<string, IReadOnlyList<LaneReport>>();

    /// <summary>Whether the tables are there, as far as this process knows.</summary>
    internal bool HasTables { get; private set; }

    /// <summary>The live version as it was read last; null where it was not.</summary>
    internal TargetRow? Live { get; private set; }

    /// <exception cref="ProjectionException">The projection cannot go on in this process.</exception>
    internal async Task RunAsync(CancellationToken stopping, CancellationToken hurry)
    {
        await CreateTablesAsync(stopping).ConfigureAwait(false);
        await RenewAsync(stopping).ConfigureAwait(false);
        // What is under way changes what is read now: it is told of the next reading.
        var busy = _runs.Values.Where(run => !run.IsIdle).Select(run => run.Target).ToHashSet(StringComparer.Ordinal);
        var mayCommand = Commands.IsIdle;
        var snapshot = await ReadAsync(stopping).ConfigureAwait(false);
        while (!await _layout.HoldsAsync(snapshot, stopping).ConfigureAwait(false))
            snapshot = await ReadAsync(stopping).ConfigureAwait(false);
        Live = snapshot.Targets.FirstOrDefault(row => row.Role == TargetRole.Live);
        // The stop may have been done with waiting for what was read.
        stopping.ThrowIfCancellationRequested();
        Close(snapshot, hurry);
        await LookAsync(snapshot, stopping).ConfigureAwait(false);
        if (mayCommand)
            Commands.Advance(snapshot, stopping);
        foreach (var row in snapshot.Targets.Where(row => row.Role != TargetRole.Retired && !busy.Contains(row.Target)))
            await AdvanceAsync(row, snapshot, stopping, hurry).ConfigureAwait(false);
    }

    /// <summary>Stops all workers.</summary>
    internal Task CloseAsync(CancellationToken hurry)
    {
        foreach (var target in _runs.Keys.ToList())
            Close(target, hurry);
        return Task.WhenAll(_closing.Values);
    }

    private async Task CreateTablesAsync(CancellationToken stopping)
    {
        if (HasTables)
            return;
        _layout.CheckLanes();
        await _store.CreateTablesAsync(stopping).ConfigureAwait(false);
        HasTables = true;
    }

    private async Task RenewAsync(CancellationToken stopping)
    {
        var before = Reports;
        Reports = _runs.ToDictionary(run => run.Key, run => run.Value.Reports, StringComparer.Ordinal);
        foreach (var (target, reports) in Reports)
            parts.Metrics?.Of(target).Set(reports, _progress.PositionOf(reports));
        // Nothing to report, and the leases hold for long enough.
        if (_renewedAt is { } at && _options.TimeProvider.GetElapsedTime(at) < _options.LeaseDuration / 3 && AreEqual(before, Reports))
            return;
        var now = _options.TimeProvider.GetTimestamp();
        await _store.RenewAsync(_options.Name, parts.Member, _options.LeaseDuration, Reports, stopping).ConfigureAwait(false);
        _renewedAt = now;
    }

    private static bool AreEqual(
        IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> before, IReadOnlyDictionary<string, IReadOnlyList<LaneReport>> now) =>
        before.Count == now.Count && now.All(target => before.TryGetValue(target.Key, out var lanes) && lanes.SequenceEqual(target.Value));

    private Task<ProjectionSnapshot> ReadAsync(CancellationToken stopping) => _store.ReadAsync(_options.Name, MostCommands, stopping);

    private void Close(ProjectionSnapshot snapshot, CancellationToken hurry)
    {
        var run = snapshot.Targets.Where(row => row.Role != TargetRole.Retired).Select(row => row.Target).ToHashSet(StringComparer.Ordinal);
        foreach (var target in _runs.Keys.Where(target => !run.Contains(target)).ToList())
            Close(target, hurry);
    }

    // Beside reconciliation: the batches in hand may take their time, and what they write is fenced.
    private void Close(string target, CancellationToken hurry)
    {
        parts.Metrics?.Forget(target);
        if (_runs.Remove(target, out var run))
            _closing[target] = run.CloseAsync(hurry);
    }

    private async Task LookAsync(ProjectionSnapshot snapshot, CancellationToken stopping)
    {
        var led = snapshot.Targets.Where(row => Leadership.Leads(row.Target, snapshot, parts.Member)).ToList();
        for (var shard = 0; shard < _ends.Count; shard++)
        {
            if (led.Count > 0)
                _ends[shard].Look(stopping);
            else
                _ends[shard].Leave();
            await TellAsync(shard, led, stopping).ConfigureAwait(false);
        }
    }

    private async Task TellAsync(int shard, List<TargetRow> led, CancellationToken stopping)
    {
        foreach (var row in led.Where(row => IsNews(row, shard)))
        {
            _told[(row.Target, shard)] = (_ends[shard].Looks, _options.TimeProvider.GetTimestamp());
            await _store.SetHeadAsync(row.Target, parts.Shards[shard].Number, _ends[shard].Seen, stopping).ConfigureAwait(false);
        }
    }

    // Report it from time to time although it has not changed: otherwise the lag is unknown.
    // Report an empty shard too: otherwise the lag of the others is unknown.
    private bool IsNews(TargetRow row, int shard) => _ends[shard].Looks > 0 && (_ends[shard].Seen != 0 || parts.Shards[shard].Number is not null)
        && (row.HeadOf(parts.Shards[shard].Number) != _ends[shard].Seen || !_told.TryGetValue((row.Target, shard), out var told)
            || (_ends[shard].Looks > told.Looks && _options.TimeProvider.GetElapsedTime(told.At) >= StatusView.HeadIsOld / 3));

    private async Task AdvanceAsync(TargetRow row, ProjectionSnapshot snapshot, CancellationToken stopping, CancellationToken hurry)
    {
        // What a lane may hold in memory depends on how many there are.
        if (_runs.TryGetValue(row.Target, out var run) && run.Lanes != row.Lanes)
        {
            Close(row.Target, hurry);
            run = null;
        }
        if (run is null)
        {
            // A version that was divided anew, or dropped and rebuilt: the worker of the old one has to be gone first.
            if (_closing.TryGetValue(row.Target, out var closing) && !closing.IsCompleted)
                return;
            stopping.ThrowIfCancellationRequested();
            _runs[row.Target] = run = new(parts, row, log, wake);
        }
        await run.AdvanceAsync(TargetView.Of(snapshot, row), patience, stopping, hurry).ConfigureAwait(false);
        parts.Metrics?.Of(row.Target).SetHead(_progress.HeadOf(
            run.Reports, shard => Math.Max(row.HeadOf(parts.Shards[shard].Number), _ends[shard].Seen)));
        foreach (var command in snapshot.Commands.Where(command => command.IsForLane && command.Target == row.Target))
            run.Execute(command);
    }
}
