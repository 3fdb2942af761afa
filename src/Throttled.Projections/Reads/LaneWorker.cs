using Throttled.Projections.Lanes;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Reads;

internal sealed class LaneWorker : ILaneWorker
{
    private readonly Lock _lock = new();
    private readonly SortedDictionary<int, Lane> _lanes = [];
    private readonly SortedDictionary<int, LaneSpeed> _speeds = [];
    private readonly LaneContext _context;
    private readonly IReadOnlyList<ShardReader> _readers;

    internal LaneWorker(IReadOnlyList<SourceShard> shards, LaneContext context)
    {
        _context = context;
        _readers = [.. shards.Select(shard => new ShardReader(shard, context, () => RunningOf(shard), () => HighestOf(shard)))];
    }

    public Action? LaneEnded { get; set; }

    public IReadOnlyList<LaneReport> Reports
    {
        get
        {
            lock (_lock)
            {
                return
                [
                    .. from lane in _lanes.Values
                       where lane.Ending is LaneEnding.None or LaneEnding.Failed
                       select lane.Report(_speeds[lane.Number].EventsPerSecond),
                ];
            }
        }
    }

    private IReadOnlyList<Lane> RunningOf(SourceShard shard)
    {
        lock (_lock)
            return [.. _lanes.Values.Where(lane => lane.Ending == LaneEnding.None && shard.Has(lane.Slices))];
    }

    // Includes failed lanes: if one of them is ahead of the shard, the journal is the wrong one for all.
    private long HighestOf(SourceShard shard)
    {
        lock (_lock)
        {
            return _lanes.Values
                .Where(lane => lane.Ending is (LaneEnding.None or LaneEnding.Failed) && shard.Has(lane.Slices)).Select(lane => lane.Highest).DefaultIfEmpty().Max();
        }
    }

    public void Start(IReadOnlyList<LaneRow> lanes, long epoch)
    {
        List<(Lane Lane, Lane? Before)> started = [];
        lock (_lock)
        {
            foreach (var row in lanes)
            {
                var lane = new Lane(_context with { History = row.History }, row, epoch) { Changed = Changed };
                started.Add((lane, _lanes.GetValueOrDefault(row.Lane)));
                _lanes[row.Lane] = lane;
                _speeds[row.Lane] = new(_context.Time);
            }
        }
        // All lanes are registered before the first of them asks for a read.
        foreach (var (lane, before) in started)
            lane.Start(before);
    }

    public async Task StopAsync(IReadOnlyCollection<int> lanes, CancellationToken abort)
    {
        List<Lane> stopped = [];
        lock (_lock)
        {
            foreach (var number in lanes)
            {
                if (_lanes.Remove(number, out var lane))
                    stopped.Add(lane);
            }
        }
        await Task.WhenAll(stopped.Select(lane => lane.StopAsync(abort))).ConfigureAwait(false);
        stopped.ForEach(lane => lane.Dispose());
        Plan();
    }

    public void Execute(IReadOnlyList<CommandRow> waiting)
    {
        var slices = waiting.Select(command => JournalSlices.Of(command.PersistenceId!)).ToList();
        lock (_lock)
        {
            foreach (var lane in _lanes.Values.Where(lane => lane.Ending is (LaneEnding.None or LaneEnding.Failed)))
                lane.Give([.. waiting.Where((_, index) => lane.Slices.Contains(slices[index]))]);
        }
    }

    public void Tick()
    {
        lock (_lock)
        {
            foreach (var lane in _lanes.Values)
            {
                lane.Tick();
                _speeds[lane.Number].Sample(lane.Health.Handled);
            }
        }
        foreach (var reader in _readers)
            reader.Tick();
    }

    public async ValueTask DisposeAsync()
    {
        List<int> all;
        lock (_lock)
            all = [.. _lanes.Keys];
        await Task.WhenAll(_readers.Select(reader => reader.DisposeAsync().AsTask())).ConfigureAwait(false);
        await StopAsync(all, CancellationToken.None).ConfigureAwait(false);
    }

    private void Plan()
    {
        foreach (var reader in _readers)
            reader.Plan();
    }

    private void Changed(Lane lane)
    {
        Plan();
        if (lane.Ending is LaneEnding.Fenced or LaneEnding.Failed)
            LaneEnded?.Invoke();
    }
}

/// <summary>Runs the lanes of one version in this process. The caller decides which lanes run. Calls do not overlap.</summary>
internal interface ILaneWorker : IAsyncDisposable
{
    /// <summary>Called on any thread when a lane was fenced or has failed.</summary>
    Action? LaneEnded { get; set; }

    /// <summary>The lanes that were started, and neither stopped nor fenced since.</summary>
    IReadOnlyList<LaneReport> Reports { get; }

    void Start(IReadOnlyList<LaneRow> lanes, long epoch);

    /// <summary>The current batch of each lane is finished, or rolled back when <paramref name="abort"/> is cancelled. Unknown lanes are ignored.</summary>
    Task StopAsync(IReadOnlyCollection<int> lanes, CancellationToken abort);

    /// <summary>
    /// Gives the lanes that run here all commands that wait for lanes now, in their order. A lane executes each command once. If a later call does not
    /// have a command any more, the lane drops it.
    /// </summary>
    void Execute(IReadOnlyList<CommandRow> waiting);

    /// <summary>Called about once a second. Lanes without events move on, and reads that have caught up are merged.</summary>
    void Tick();
}
