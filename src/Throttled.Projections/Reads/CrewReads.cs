using System.Threading.Channels;
using Throttled.Projections.Lanes;

namespace Throttled.Projections.Reads;

/// <summary>
/// Sees to it that each running lane of a shard is read for, by as few reads as its place allows. Lanes that end are simply read past; when lanes come, or
/// reads have caught up, all begin anew from where their lanes are.
/// </summary>
internal sealed class CrewReads : IAsyncDisposable
{
    private readonly ShardReads _shard;
    private readonly LaneParts _parts;
    private readonly Func<IReadOnlyList<Lane>> _running;
    private readonly Channel<bool> _asked = Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
    private readonly CancellationTokenSource _stopping = new();
    private readonly Task _run;
    private volatile List<JournalRead> _reads = [];

    /// <param name="shard">The shard.</param>
    /// <param name="parts">What the lanes share.</param>
    /// <param name="running">Its lanes that have not ended.</param>
    internal CrewReads(ShardReads shard, LaneParts parts, Func<IReadOnlyList<Lane>> running)
    {
        _shard = shard;
        _parts = parts;
        _running = running;
        _run = Task.Run(RunAsync);
    }

    /// <summary>Lanes have come, moved or ended.</summary>
    internal void Plan() => _asked.Writer.TryWrite(true);

    /// <summary>Lanes are told how far the journal was read, and reads that have caught up are merged.</summary>
    internal void Tick()
    {
        _reads.ForEach(read => read.Look());
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
            _parts.News.ReadsEnded(_shard.Index);
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
            _parts.News.ReadsEnded(_shard.Index);
        _reads = [.. Groups(lanes).Select(group => new JournalRead(_shard, _parts, [.. lanes.Where(lane => group.Contains(lane.Number))]) { LeftOut = Plan })];
        _reads.ForEach(read => read.Start());
    }

    private async Task StopReadsAsync()
    {
        await Task.WhenAll(_reads.Select(read => read.DisposeAsync().AsTask())).ConfigureAwait(false);
        _reads = [];
    }

    private static IReadOnlyList<IReadOnlyList<int>> Groups(IReadOnlyList<Lane> lanes) =>
        ReadPlan.Group(lanes.Select(lane => (lane.Number, lane.Queue!.Through.Ordering)));

    private bool IsAsItShouldBe(IReadOnlyList<IReadOnlyList<int>> groups) =>
        groups.Select(Text).Order(StringComparer.Ordinal).SequenceEqual(_reads.Select(read => Text(read.Lanes)).Order(StringComparer.Ordinal));

    private static string Text(IReadOnlyList<int> lanes) => string.Join(',', lanes);
}
