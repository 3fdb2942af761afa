using Throttled.Journal;
using Throttled.Projections.Reads;
using Throttled.Projections.Store;

namespace Throttled.Projections.Lanes;

/// <summary>The lanes of one version that this process runs, and the reads that feed them.</summary>
internal sealed class LaneCrew : ILaneCrew
{
    private readonly Lock _lock = new();
    private readonly SortedDictionary<int, Lane> _lanes = [];
    private readonly SortedDictionary<int, LaneSpeed> _speeds = [];
    private readonly LaneParts _parts;
    private readonly IReadOnlyList<CrewReads> _reads;

    /// <param name="shards">How the journal's shards are read: each by itself, so that an unavailable one keeps no lane of another.</param>
    /// <param name="parts">What the lanes share.</param>
    internal LaneCrew(IReadOnlyList<ShardReads> shards, LaneParts parts)
    {
        _parts = parts;
        _reads = [.. shards.Select(shard => new CrewReads(
            shard with { Check = new CheckedJournal(shard, () => HighestOf(shard)).CheckAsync }, parts, () => RunningOf(shard)))];
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

    private IReadOnlyList<Lane> RunningOf(ShardReads shard)
    {
        lock (_lock)
            return [.. _lanes.Values.Where(lane => lane.Ending == LaneEnding.None && shard.Has(lane.Slices))];
    }

    // Those that failed with them: where one is ahead of the shard, it is another journal for all.
    private long HighestOf(ShardReads shard)
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
                var lane = new Lane(_parts, row, epoch) { Changed = Changed };
                started.Add((lane, _lanes.GetValueOrDefault(row.Lane)));
                _lanes[row.Lane] = lane;
                _speeds[row.Lane] = new(_parts.Time);
            }
        }
        // All of them are there before the first asks to be read to.
        foreach (var (lane, before) in started)
            lane.Start(before);
    }

    public async Task StopAsync(IReadOnlyCollection<int> lanes, CancellationToken hurry)
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
        await Task.WhenAll(stopped.Select(lane => lane.StopAsync(hurry))).ConfigureAwait(false);
        stopped.ForEach(lane => lane.Dispose());
        Plan();
    }

    public bool Execute(CommandRow command)
    {
        var slice = JournalSlices.Of(command.PersistenceId!);
        return Find(slice) is { } lane && lane.Give(command);
    }

    private Lane? Find(int slice)
    {
        lock (_lock)
        {
            return _lanes.Values.FirstOrDefault(
                lane => lane.Slices.Contains(slice) && lane.Ending is (LaneEnding.None or LaneEnding.Failed));
        }
    }

    public void Tick()
    {
        lock (_lock)
        {
            foreach (var lane in _lanes.Values)
            {
                lane.Tick();
                _speeds[lane.Number].Look(lane.Board.Handled);
            }
        }
        foreach (var reads in _reads)
            reads.Tick();
    }

    public async ValueTask DisposeAsync()
    {
        List<int> all;
        lock (_lock)
            all = [.. _lanes.Keys];
        await Task.WhenAll(_reads.Select(reads => reads.DisposeAsync().AsTask())).ConfigureAwait(false);
        await StopAsync(all, CancellationToken.None).ConfigureAwait(false);
    }

    private void Plan()
    {
        foreach (var reads in _reads)
            reads.Plan();
    }

    private void Changed(Lane lane)
    {
        Plan();
        if (lane.Ending is LaneEnding.Fenced or LaneEnding.Failed)
            LaneEnded?.Invoke();
    }
}
