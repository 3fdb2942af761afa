using System.Threading.Channels;
using Throttled.Projections.Lanes;

namespace Throttled.Projections.Reads;

/// <summary>
/// Reads a shard for all running lanes, with as few reads as their offsets allow. If lanes are added, or reads have caught up, all reads start again.
/// </summary>
internal sealed class ShardReader : IAsyncDisposable
{
    private readonly SourceShard _shard;
    private readonly LaneContext _context;
    private readonly Func<IReadOnlyList<Lane>> _running;
    private readonly Func<long> _highest;
    private readonly Channel<bool> _asked = Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
    private readonly CancellationTokenSource _stopping = new();
    private readonly Task _run;
    private volatile List<JournalRead> _journalReads = [];

    internal ShardReader(SourceShard shard, LaneContext context, Func<IReadOnlyList<Lane>> running, Func<long> highest)
    {
        (_shard, _context, _running, _highest) = (shard, context, running, highest);
        _run = Task.Run(RunAsync);
    }

    internal void Plan() => _asked.Writer.TryWrite(true);

    internal void Tick()
    {
        _journalReads.ForEach(read => read.Poll());
        Plan();
    }

    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync().ConfigureAwait(false);
        await _run.ConfigureAwait(false);
        _stopping.Dispose();
    }

    private async Task RunAsync()
    {
        try
        {
            while (true)
            {
                await _asked.Reader.ReadAsync(_stopping.Token).ConfigureAwait(false);
                await PlanAsync().ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException)
        {
            await StopReadsAsync().ConfigureAwait(false);
            _context.Telemetry.ReadsEnded(_shard.Index);
        }
    }

    private async Task PlanAsync()
    {
        var lanes = _running().Where(lane => lane.Queue?.IsReadable != false).ToList();
        // Lanes that are still reading their offsets will call Plan.
        if (lanes.Any(lane => lane.Queue is null) || IsAsItShouldBe(Groups(lanes)))
            return;
        await StopReadsAsync().ConfigureAwait(false);
        if (lanes.Count == 0)
            _context.Telemetry.ReadsEnded(_shard.Index);
        _journalReads =
        [
            .. Groups(lanes).Select(group => new JournalRead(_shard, _context, [.. lanes.Where(lane => group.Contains(lane.Number))])
            {
                Highest = _highest,
                Excluded = Plan,
            }),
        ];
        _journalReads.ForEach(read => read.Start());
    }

    private async Task StopReadsAsync()
    {
        await Task.WhenAll(_journalReads.Select(read => read.DisposeAsync().AsTask())).ConfigureAwait(false);
        _journalReads = [];
    }

    private static IReadOnlyList<IReadOnlyList<int>> Groups(IReadOnlyList<Lane> lanes) =>
        ReadPlan.Group(lanes.Select(lane => (lane.Number, lane.Queue!.ReadUpTo.Ordering)));

    private bool IsAsItShouldBe(IReadOnlyList<IReadOnlyList<int>> groups) =>
        groups.Select(Text).Order(StringComparer.Ordinal).SequenceEqual(_journalReads.Select(read => Text(read.Lanes)).Order(StringComparer.Ordinal));

    private static string Text(IReadOnlyList<int> lanes) => string.Join(',', lanes);
}

/// <summary>Decides which lanes share a read: a lane that is far behind gets its own, so the others do not wait. Pure.</summary>
internal static class ReadPlan
{
    /// <summary>In orderings. Reading that many again takes about a second.</summary>
    internal const long Spread = 100_000;

    internal static IReadOnlyList<IReadOnlyList<int>> Group(IEnumerable<(int Lane, long Through)> lanes)
    {
        var groups = new List<List<int>>();
        var first = 0L;
        foreach (var (lane, through) in lanes.OrderBy(each => each.Through).ThenBy(each => each.Lane))
        {
            if (groups.Count == 0 || through - first > Spread)
            {
                groups.Add([]);
                first = through;
            }
            groups[^1].Add(lane);
        }
        foreach (var group in groups)
            group.Sort();
        return groups;
    }
}
