using System.Threading.Channels;
using Throttled.Projections.Lanes;

namespace Throttled.Projections.Reads;

/// <summary>
/// Sees to it that each running lane of a shard is read for, by as few reads as its place allows. Lanes that end are simply read past; when lanes come, or
/// reads have caught up, all begin anew from where their lanes are.
/// </summary>
internal sealed class ShardReader : IAsyncDisposable
{
    private readonly SourceShard _shard;
    private readonly LaneContext _context;
    private readonly Func<IReadOnlyList<Lane>> _running;
    private readonly Channel<bool> _asked = Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
    private readonly CancellationTokenSource _stopping = new();
    private readonly Task _run;
    private volatile List<JournalRead> _journalReads = [];

    /// <param name="shard">The shard.</param>
    /// <param name="context">What the lanes share.</param>
    /// <param name="running">Its lanes that have not ended.</param>
    internal ShardReader(SourceShard shard, LaneContext context, Func<IReadOnlyList<Lane>> running)
    {
        _shard = shard;
        _context = context;
        _running = running;
        _run = Task.Run(RunAsync);
    }

    /// <summary>Lanes have come, moved or ended.</summary>
    internal void Plan() => _asked.Writer.TryWrite(true);

    /// <summary>Lanes are told how far the journal was read, and reads that have caught up are merged.</summary>
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
        // Those that are about to know where they stand will ask.
        if (lanes.Any(lane => lane.Queue is null) || IsAsItShouldBe(Groups(lanes)))
            return;
        await StopReadsAsync().ConfigureAwait(false);
        if (lanes.Count == 0)
            _context.Telemetry.ReadsEnded(_shard.Index);
        _journalReads = [.. Groups(lanes).Select(group => new JournalRead(_shard, _context, [.. lanes.Where(lane => group.Contains(lane.Number))]) { Excluded = Plan })];
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

/// <summary>
/// Which lanes are read for together. One read serves all that stand close to each other; one that is far behind is read for alone, so that the
/// others need not wait while it catches up. Pure.
/// </summary>
internal static class ReadPlan
{
    /// <summary>Orderings between the first and the last lane of a read at most: reading over them again takes about a second.</summary>
    internal const long Spread = 100_000;

    /// <param name="lanes">The lanes, and the ordering up to which each has been read for.</param>
    /// <returns>Groups of lanes, each in ascending order.</returns>
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
