using Throttled.Journal;
using Throttled.Projections.Lanes;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Reads;

/// <summary>The lanes of one version that this process runs, and the reads that feed them.</summary>
internal sealed class LaneWorker : ILaneWorker
{
    private readonly Lock _lock = new();
    private readonly SortedDictionary<int, Lane> _lanes = [];
    private readonly SortedDictionary<int, LaneSpeed> _speeds = [];
    private readonly LaneContext _context;
    private readonly IReadOnlyList<ShardReader> _readers;

    /// <param name="shards">How the journal's shards are read: each by itself, so that an unavailable one keeps no lane of another.</param>
    /// <param name="context">What the lanes share.</param>
    internal LaneWorker(IReadOnlyList<SourceShard> shards, LaneContext context)
    {
        _context = context;
        _readers = [.. shards.Select(shard => new ShardReader(
            shard with { Check = new CheckedJournal(shard, () => HighestOf(shard)).CheckAsync }, context, () => RunningOf(shard)))];
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

    // Those that failed with them: where one is ahead of the shard, it is another journal for all.
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
                var lane = new Lane(_context, row, epoch) { Changed = Changed };
                started.Add((lane, _lanes.GetValueOrDefault(row.Lane)));
                _lanes[row.Lane] = lane;
                _speeds[row.Lane] = new(_context.Time);
            }
        }
        // All of them are there before the first asks to be read to.
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

    public bool Execute(CommandRow command)
    {
        var slice = JournalSlices.Of(command.PersistenceId!);
        return Find(slice) is { } lane && lane.Enqueue(command);
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

/// <summary>
/// The lanes of one version that this process runs: it reads the journal once for all of them, and each works on its own. Which lanes those are
/// is its caller's to say. Calls do not overlap.
/// </summary>
internal interface ILaneWorker : IAsyncDisposable
{
    /// <summary>
    /// Called, on any thread, when a lane ended by itself: it was fenced and is not here any more, or it failed and says so in its report. The
    /// caller reads how things are and decides.
    /// </summary>
    Action? LaneEnded { get; set; }

    /// <summary>How its lanes do, lowest first: those that were started, neither stopped nor fenced since.</summary>
    IReadOnlyList<LaneReport> Reports { get; }

    /// <summary>Starts lanes that the process has claimed, or starts failed ones again. Does not wait for the database.</summary>
    void Start(IReadOnlyList<LaneRow> lanes, long epoch);

    /// <summary>
    /// Stops lanes: the batch in hand of each is finished, or rolled back when <paramref name="abort"/> is cancelled. What was read ahead is
    /// forgotten. Unknown ones are left out.
    /// </summary>
    Task StopAsync(IReadOnlyCollection<int> lanes, CancellationToken abort);

    /// <summary>Gives a lane's command to it; it is executed between two batches, once, and ended in the database. Given again, it is left out.</summary>
    /// <returns>Whether a lane that runs here has it.</returns>
    bool Execute(CommandRow command);

    /// <summary>Called about once a second: lanes without events advance as far as the journal was read, reads that have caught up are merged.</summary>
    void Tick();
}
