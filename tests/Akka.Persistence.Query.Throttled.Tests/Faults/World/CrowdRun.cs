namespace Akka.Persistence.Query.Throttled.Tests.Faults.World;

/// <summary>A crowd over a journal with two writers. The crowd must get exactly the committed events, whatever happens to the server.</summary>
internal sealed class CrowdRun : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly ServerJournal _journal;
    private readonly LedgerWriter[] _writers;
    private Task _writing = Task.CompletedTask;

    private CrowdRun(ServerJournal journal, string[] ids)
    {
        _journal = journal;
        _writers = [new(journal, Ledger, [.. ids.Where((_, i) => i % 2 == 0)]), new(journal, Ledger, [.. ids.Where((_, i) => i % 2 == 1)])];
    }

    internal Ledger Ledger { get; } = new();

    internal required ReadSide Side { get; init; }

    internal StreamCrowd Crowd { get; private set; } = null!;

    internal int Ambiguous => _writers.Sum(each => each.Ambiguous);

    /// <summary>Writes an event of each id, starts the streams, and continues to write.</summary>
    /// <param name="journal">An empty journal.</param>
    /// <param name="size">The number of streams.</param>
    /// <param name="settings">The settings of the read journal.</param>
    internal static async Task<CrowdRun> StartAsync(ServerJournal journal, int size, string settings)
    {
        var ids = TestEvents.Ids("id", CrowdQuery.IdsOf(size));
        var run = new CrowdRun(journal, ids) { Side = ReadSide.Of(journal.Settings(settings)) };
        await run.WriteAllAsync();
        run.Crowd = new(run.Side, CrowdQuery.Mixed(ids));
        run._writing = Task.WhenAll(run._writers.Select(writer => writer.RunAsync(run._stop.Token)));
        return run;
    }

    /// <summary>Waits until the given number of further events was written.</summary>
    internal async Task MoreAsync(int events)
    {
        var expected = Ledger.Count + events;
        await Wait.UntilAsync(() => Ledger.Count >= expected || _writing.IsCompleted, () => $"{expected} events written");
        if (_writing.IsFaulted)
            await _writing;
    }

    /// <summary>Stops writing. Each stream must have every event once, no stream may have ended, and no permit may be in use.</summary>
    internal async Task EndAsync()
    {
        await _stop.CancelAsync();
        await _writing.WithinAsync("the end of the writers");
        await Crowd.UntilAsync(await Ledger.FoldsAsync(_journal));
        // The last event of each id; an event that is delivered twice would come before it.
        await WriteAllAsync();
        await Crowd.UntilAsync(await Ledger.FoldsAsync(_journal));
        await Side.Meter.UntilFollowingAsync(Crowd.Size);
        await Wait.UntilAsync(() => Side.Meter.PermitsUsed == 0, () => $"no permit in use; there are {Side.Meter.PermitsUsed}");
        await _journal.UntilRunningAsync(running => running == 0);
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _writing.ContinueWith(_ => { }, TaskScheduler.Default).WithinAsync("the end of the writers");
        await Side.DisposeAsync();
        foreach (var writer in _writers)
            await writer.DisposeAsync();
        _stop.Dispose();
    }

    private async Task WriteAllAsync()
    {
        foreach (var writer in _writers)
            await writer.WriteAllAsync();
    }
}
