using System.Diagnostics;
using CrushTest.Databases;
using CrushTest.Settings;
using Throttled.Journal;

namespace CrushTest.Engine;

/// <summary>What one round of the engine took.</summary>
/// <param name="Seconds">From the start of the first query to the last event.</param>
/// <param name="Statements">Statements of every kind meanwhile.</param>
/// <param name="MostAtOnce">The most at once.</param>
/// <param name="Allocated">Bytes allocated meanwhile, by all that ran in the process.</param>
internal sealed record EngineTime(double Seconds, long Statements, int MostAtOnce, long Allocated);

/// <summary>One round: all live queries at once, on a reader of their own, until each has its last event. They go on until it is disposed.</summary>
internal sealed class EngineRound : IAsyncDisposable
{
    // With nothing delivered for so long, something was lost.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private static readonly TimeSpan Settling = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan Interval = new JournalOptions().RefreshInterval;

    private readonly ICrushDatabase _database;

    internal EngineRound(CrushSettings settings, ICrushDatabase database, string[] ids, Action<int, long> late)
    {
        _database = database;
        Measures = new();
        Consumers = new(ids, settings.Events, late);
        Reader = database.OpenReader(new JournalOptions
        {
            Tables = database.Tables,
            MaxBufferSize = settings.Page,
            MaxConcurrentQueries = settings.Permits,
            LoggerFactory = Log,
        });
    }

    internal Consumers Consumers { get; }

    internal EngineLog Log { get; } = new();

    internal Measures Measures { get; }

    internal JournalReader Reader { get; }

    /// <summary>Starts them and waits for the last event, or until none comes any more.</summary>
    internal async Task<EngineTime> RunAsync(CancellationToken cancellation)
    {
        var count = await _database.CountStatementsAsync(cancellation);
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var watch = Stopwatch.StartNew();
        Consumers.Start(id => Reader.EventsByPersistenceId(id));
        await WaitAsync(cancellation);
        var seconds = watch.Elapsed.TotalSeconds;
        allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        if (count is not null)
            await count.DisposeAsync();
        return new(seconds, Measures.Statements, count?.Most ?? Measures.MostRunning, allocated);
    }

    /// <summary>Waits until every query follows the tail.</summary>
    internal async Task<bool> AllFollowAsync(int queries, CancellationToken cancellation)
    {
        for (var waited = Stopwatch.StartNew(); waited.Elapsed < Patience;)
        {
            if (Measures.Following == queries)
                return true;
            await Task.Delay(50, cancellation);
        }
        return false;
    }

    /// <summary>
    /// Waits until the tail has slowed down to the refresh interval, and then for half of one: its looks while it slows down belong to
    /// the last event. Gives up where somebody else writes all the time.
    /// </summary>
    internal async Task SettleAsync(CancellationToken cancellation)
    {
        var (waited, quiet) = (Stopwatch.StartNew(), Stopwatch.StartNew());
        for (var before = Measures.Statements; waited.Elapsed < Settling; await Task.Delay(5, cancellation))
        {
            if (Measures.Statements == before)
                continue;
            // A timer may be late by some milliseconds; the pause before the last one is half as long.
            if (quiet.Elapsed > 0.8 * Interval)
                break;
            before = Measures.Statements;
            quiet.Restart();
        }
        await Task.Delay(Interval / 2, cancellation);
    }

    public async ValueTask DisposeAsync()
    {
        Consumers.Ending();
        await Reader.DisposeAsync();
        await Consumers.EndAsync();
        Measures.Dispose();
    }

    private async Task WaitAsync(CancellationToken cancellation)
    {
        for (var before = -1L; ;)
        {
            var delivered = Consumers.Delivered;
            if (delivered == before)
                return;
            before = delivered;
            if (await Task.WhenAny(Consumers.AllDelivered, Task.Delay(Patience, cancellation)) == Consumers.AllDelivered)
                return;
            cancellation.ThrowIfCancellationRequested();
        }
    }
}
