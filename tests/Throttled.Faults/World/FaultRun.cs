using System.Diagnostics;
using Throttled.Journal;
using Throttled.Testing;
using Xunit.Abstractions;

namespace Throttled.Faults.World;

/// <summary>
/// Queries of all kinds over a journal that is written to all the time, while something is broken and mended again. In the end each must have got
/// just what was committed, none may have ended, and nothing may run in the database.
/// </summary>
internal sealed class FaultRun : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(4);

    private readonly List<Strike> _strikes = [];
    private readonly FaultPlan _plan;
    private readonly Unobserved _unobserved = new();
    private readonly ITestOutputHelper _output;
    private readonly LedgerWriter[] _writers;
    private readonly HeldWriter[] _held;
    private readonly CurrentQueries _current;
    private CancellationTokenSource _rest = new();
    private Task _beside = Task.CompletedTask;

    private FaultRun(JournalUnderTest journal, FaultPlan plan, ITestOutputHelper output)
    {
        (Journal, _plan, _output) = (journal, plan, output);
        var ids = TestEvents.Ids("id", CrowdQuery.IdsOf(plan.Queries));
        _writers = [.. Enumerable.Range(0, plan.Writers).Select(w => new LedgerWriter(journal, Ledger, [.. ids.Where((_, i) => i % plan.Writers == w)]) { Pause = plan.Pause })];
        _held = [.. Enumerable.Range(0, plan.HeldWriters).Select(i => new HeldWriter(journal, Ledger, i))];
        (Meter, Reader) = StatementMeter.Of(() => journal.OpenReader(plan.Options));
        _current = new(Reader, plan.IsBehind ? new() : Ledger, ids);
        Ids = ids;
    }

    internal JournalUnderTest Journal { get; }

    internal JournalReader Reader { get; }

    internal StatementMeter Meter { get; }

    internal Ledger Ledger { get; } = new();

    internal IReadOnlyList<string> Ids { get; }

    /// <summary>Transactions that failed, or whose end the writers were not told.</summary>
    internal int Ambiguous => _writers.Sum(writer => writer.Ambiguous);

    internal FeedCrowd Crowd { get; private set; } = null!;

    /// <summary>Writes an event of each id, opens the queries, and goes on writing.</summary>
    internal static async Task<FaultRun> StartAsync(JournalUnderTest journal, FaultPlan plan, ITestOutputHelper output)
    {
        var run = new FaultRun(journal, plan, output);
        await run.WriteAllAsync();
        run.Crowd = new(run.Reader, CrowdQuery.Mixed([.. run.Ids, .. plan.OtherIds]));
        run.GoOn();
        return run;
    }

    /// <summary>Writes on after a rest.</summary>
    internal void GoOn()
    {
        _rest.Dispose();
        _rest = new();
        var rest = _rest.Token;
        _beside = Task.WhenAll(
            [_current.RunAsync(rest), .. _writers.Select(writer => writer.RunAsync(rest)), .. _held.Select(writer => writer.RunAsync(rest))]);
    }

    /// <summary>Writes no more, and runs no more current queries, until it goes on.</summary>
    internal async Task RestAsync()
    {
        await _rest.CancelAsync();
        await _beside.WithinAsync("the end of writers and current queries", Patience);
    }

    /// <summary>Waits until some of the queries have got something; the plan's rate keeps the others at work.</summary>
    internal Task UntilCatchingUpAsync() => Crowd.UntilAsync(Crowd.Size / 10, Patience);

    /// <summary>Waits until all live queries follow.</summary>
    internal async Task UntilFollowingAsync()
    {
        await Wait.UntilAsync(() => Meter.Following >= Crowd.Size || Crowd.Failed > 0, () => $"{Crowd.Size} queries that follow; there are {Meter.Following}", Patience);
        Check();
    }

    /// <summary>Breaks something and mends it.</summary>
    /// <param name="fault">What it is called.</param>
    /// <param name="strike">Breaks it, and returns when it has hurt.</param>
    /// <param name="cure">Mends it.</param>
    internal async Task StrikeAsync(string fault, Func<Task> strike, Func<Task> cure)
    {
        var written = Ledger.Count;
        await strike();
        Check();
        // As they were when it had hurt: what follows goes on following while it waits.
        var when = Meter.Following >= Crowd.Size ? "following" : "catching up";
        await cure();
        var start = Stopwatch.GetTimestamp();
        await Crowd.UntilAsync(Crowd.Events + 1, Patience);
        var next = Stopwatch.GetElapsedTime(start);
        await UntilFollowingAsync();
        _strikes.Add(new(fault, when, Ledger.Count - written, next, Stopwatch.GetElapsedTime(start)));
    }

    /// <summary>The same twice: while the queries catch up, and while all follow.</summary>
    internal async Task StrikeTwiceAsync(string fault, Func<Task> strike, Func<Task> cure)
    {
        await UntilCatchingUpAsync();
        await StrikeAsync(fault, strike, cure);
        await StrikeAsync(fault, strike, cure);
    }

    /// <summary>No query has failed so far, and none has got what it should not.</summary>
    internal void Check()
    {
        Crowd.Check();
        if (_beside.IsFaulted)
            _beside.GetAwaiter().GetResult();
    }

    /// <summary>Stops writing and compares: all there, nothing twice, no query ended, no permit out, no statement running.</summary>
    internal async Task EndAsync()
    {
        await RestAsync();
        // The last event of each id, behind which a doubled one would have come.
        await WriteAllAsync();
        var folds = await Ledger.FoldsAsync(Journal);
        try
        {
            await Crowd.UntilAsync(folds, Patience);
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
        // What waits for a database that a failed test has left broken ends with it.
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
            $"{Ledger.Count} events, {Crowd.Events} deliveries, {_current.Done} current queries, {Ambiguous} commits of which the end was not told; {Meter}");
    }
}
