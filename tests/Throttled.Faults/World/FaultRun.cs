using System.Diagnostics;

namespace Throttled.Faults.World;

/// <summary>
/// Queries of all kinds over a journal with continuous writes, while faults are caused and repaired. In the end each query must have got exactly the
/// committed events, none may have ended, and no statement may run in the database.
/// </summary>
internal sealed class FaultRun : IAsyncDisposable
{
    private static readonly TimeSpan MaxWait = TimeSpan.FromMinutes(4);

    private readonly List<Strike> _strikes = [];
    private readonly FaultPlan _plan;
    private readonly Unobserved _unobserved = new();
    private readonly ITestOutputHelper _output;
    private readonly LedgerWriter[] _writers;
    private readonly OverlappingWriter[] _overlapping;
    private readonly CurrentQueries _current;
    private CancellationTokenSource _rest = new();
    private Task _beside = Task.CompletedTask;

    private FaultRun(JournalUnderTest journal, FaultPlan plan, ITestOutputHelper output)
    {
        (Journal, _plan, _output) = (journal, plan, output);
        var ids = TestEvents.Ids("id", CrowdQuery.IdsOf(plan.Queries));
        _writers = [.. Enumerable.Range(0, plan.Writers).Select(w => new LedgerWriter(journal, Ledger, [.. ids.Where((_, i) => i % plan.Writers == w)]) { Pause = plan.Pause })];
        _overlapping = [.. Enumerable.Range(0, plan.OverlappingWriters).Select(i => new OverlappingWriter(journal, Ledger, i))];
        (Meter, Reader) = StatementMeter.Of(() => journal.OpenReader(plan.Options));
        _current = new(Reader, plan.IsBehind ? new() : Ledger, ids);
        Ids = ids;
    }

    internal JournalUnderTest Journal { get; }

    internal JournalReader Reader { get; }

    internal StatementMeter Meter { get; }

    internal Ledger Ledger { get; } = new();

    internal IReadOnlyList<string> Ids { get; }

    /// <summary>The number of transactions that failed or whose outcome is unknown.</summary>
    internal int Ambiguous => _writers.Sum(writer => writer.Ambiguous);

    internal FeedCrowd Crowd { get; private set; } = null!;

    /// <summary>Writes an event of each id, opens the queries, and continues to write.</summary>
    internal static async Task<FaultRun> StartAsync(JournalUnderTest journal, FaultPlan plan, ITestOutputHelper output)
    {
        var run = new FaultRun(journal, plan, output);
        await run.WriteAllAsync();
        run.Crowd = new(run.Reader, CrowdQuery.Mixed([.. run.Ids, .. plan.OtherIds]));
        run.GoOn();
        return run;
    }

    /// <summary>Continues to write after a rest.</summary>
    internal void GoOn()
    {
        _rest.Dispose();
        _rest = new();
        var rest = _rest.Token;
        _beside = Task.WhenAll(
            [_current.RunAsync(rest), .. _writers.Select(writer => writer.RunAsync(rest)), .. _overlapping.Select(writer => writer.RunAsync(rest))]);
    }

    /// <summary>Stops writers and current queries until <see cref="GoOn"/>.</summary>
    internal async Task RestAsync()
    {
        await _rest.CancelAsync();
        await _beside.WithinAsync("the end of writers and current queries", MaxWait);
    }

    /// <summary>Waits until some queries have got events. The rate of the plan keeps the others busy.</summary>
    internal Task UntilCatchingUpAsync() => Crowd.UntilAsync(Crowd.Size / 10, MaxWait);

    /// <summary>Waits until all live queries follow.</summary>
    internal async Task UntilFollowingAsync()
    {
        await Wait.UntilAsync(() => Meter.Following >= Crowd.Size || Crowd.Failed > 0, () => $"{Crowd.Size} queries that follow; there are {Meter.Following}", MaxWait);
        Check();
    }

    /// <summary>Causes a fault and repairs it.</summary>
    /// <param name="fault">The name of the fault.</param>
    /// <param name="strike">Causes the fault, and returns when it has had an effect.</param>
    /// <param name="cure">Repairs the fault.</param>
    internal async Task StrikeAsync(string fault, Func<Task> strike, Func<Task> cure)
    {
        var written = Ledger.Count;
        await strike();
        Check();
        // The state at the time of the effect: a following query still counts as following while it waits.
        var when = Meter.Following >= Crowd.Size ? "following" : "catching up";
        await cure();
        var start = Stopwatch.GetTimestamp();
        await Crowd.UntilAsync(Crowd.Events + 1, MaxWait);
        var next = Stopwatch.GetElapsedTime(start);
        await UntilFollowingAsync();
        _strikes.Add(new(fault, when, Ledger.Count - written, next, Stopwatch.GetElapsedTime(start)));
    }

    /// <summary>Causes a fault twice: while the queries catch up, and while all follow.</summary>
    internal async Task StrikeTwiceAsync(string fault, Func<Task> strike, Func<Task> cure)
    {
        await UntilCatchingUpAsync();
        await StrikeAsync(fault, strike, cure);
        await StrikeAsync(fault, strike, cure);
    }

    /// <summary>Asserts that no query has failed so far, and that none has got a wrong event.</summary>
    internal void Check()
    {
        Crowd.Check();
        if (_beside.IsFaulted)
            _beside.GetAwaiter().GetResult();
    }

    /// <summary>Stops writing and compares: no event is missing or doubled, no query has ended, no permit is in use, no statement runs.</summary>
    internal async Task EndAsync()
    {
        await RestAsync();
        // The last event of each id; an event that is delivered twice would come before it.
        await WriteAllAsync();
        var folds = await Ledger.FoldsAsync(Journal);
        try
        {
            await Crowd.UntilAsync(folds, MaxWait);
            await UntilFollowingAsync();
        }
        finally
        {
            Report(folds);
        }
        await Wait.UntilAsync(() => Meter.PermitsUsed == 0, () => $"no permit in use; there are {Meter.PermitsUsed}");
        await Crowd.DisposeAsync();
        await Wait.UntilAsync(() => Meter.Following == 0, () => $"no query that follows; there are {Meter.Following}");
        await Reader.DisposeAsync();
        foreach (var writer in _writers)
            await writer.DisposeAsync();
        await Journal.NoStatementRunsAsync();
        _unobserved.AreNone();
        Assert.True(_current.Done > 0, "No current query ended.");
    }

    public async ValueTask DisposeAsync()
    {
        await _rest.CancelAsync();
        // After a failed test, tasks may wait for a broken database. They end with the journal.
        await Reader.DisposeAsync();
        await _beside.ContinueWith(_ => { }, TaskScheduler.Default).WithinAsync("the end of writers and current queries");
        if (Crowd is not null)
            await Crowd.DisposeAsync();
        foreach (var writer in _writers)
            await writer.DisposeAsync();
        Meter.Dispose();
        _unobserved.Dispose();
        _rest.Dispose();
    }

    private async Task WriteAllAsync()
    {
        foreach (var writer in _writers)
            await writer.WriteAllAsync();
    }

    private void Report(Dictionary<CrowdQuery, Fold> folds)
    {
        foreach (var (fault, when, written, next, all) in _strikes)
            FaultTable.Add(
                _output, fault, _plan.Database, when, Crowd.Size, written, Crowd.Lost(folds), Crowd.Doubled, Crowd.Failed, FaultTable.Seconds(next), FaultTable.Seconds(all));
        _output.WriteLine(
            $"{Ledger.Count} events, {Crowd.Events} deliveries, {_current.Done} current queries, {Ambiguous} commits with unknown outcome; {Meter}");
    }
}
