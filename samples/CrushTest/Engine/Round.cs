using System.Diagnostics;
using CrushTest.Databases;
using CrushTest.Settings;
using CrushTest.Show;

namespace CrushTest.Engine;

/// <summary>The time and memory of one round.</summary>
/// <param name="Seconds">From the start of the first query to the last event.</param>
/// <param name="Cpu">Processor time of this process: with SQLite it includes the database, with a server only the client.</param>
/// <param name="Allocated">Bytes allocated by the whole process.</param>
internal sealed record RoundTime(double Seconds, TimeSpan Cpu, long Allocated)
{
    /// <summary>The engine's statements of every kind.</summary>
    internal long Statements { get; init; }

    internal int MostAtOnce { get; init; }

    /// <summary>The database's view that shows them; null if they were counted at the driver.</summary>
    internal string? View { get; init; }

    internal static async Task<RoundTime> MeasureAsync(Func<Task> run)
    {
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var (watch, cpu) = (Stopwatch.StartNew(), ProcessorTime());
        await run();
        var (seconds, used) = (watch.Elapsed.TotalSeconds, ProcessorTime() - cpu);
        return new(seconds, used, GC.GetTotalAllocatedBytes(precise: true) - allocated);
    }

    /// <summary>The processor time of this process since its start.</summary>
    internal static TimeSpan ProcessorTime()
    {
        using var own = Process.GetCurrentProcess();
        return own.TotalProcessorTime;
    }
}

/// <summary>Runs all live queries at once, until each has its last event. They stay open until the round is disposed.</summary>
internal abstract class Round(CrushSettings settings, CrushJournal journal, Tally tally) : IAsyncDisposable
{
    internal Tally Tally => tally;

    internal Measures Measures { get; } = new();

    internal Following Following => new(Measures, settings.RefreshInterval);

    /// <summary>Numbers to show while queries run.</summary>
    internal Figure[] Figures =>
    [
        new("started", () => Started),
        new("delivered", () => Tally.Delivered, HasRate: true),
        new("failed", () => Tally.Flaws.FailedQueries),
        new("permits in use", () => Measures.PermitsUsed),
        new("waiting", () => Measures.Waiting),
        new("following", () => Measures.Following),
    ];

    protected abstract int Started { get; }

    /// <summary>The first warning of each kind.</summary>
    internal abstract string[] Warnings();

    /// <summary>Starts the queries. Waits for the last event, until no more events arrive, or for the time limit.</summary>
    internal async Task<RoundTime> RunAsync(CancellationToken cancellation, TimeSpan? limit = null)
    {
        await using var count = await journal.CountStatementsAsync(cancellation);
        var time = await RoundTime.MeasureAsync(() => Progress.WaitAsync(Start(cancellation), () => Tally.Delivered, limit, cancellation));
        return time with { Statements = Measures.Statements, MostAtOnce = count?.Most ?? Measures.MostRunning, View = count?.View };
    }

    public async ValueTask DisposeAsync()
    {
        Tally.Ending();
        await EndAsync();
        Measures.Dispose();
    }

    /// <returns>Completes when each query has delivered the initial events, or failed.</returns>
    protected abstract Task Start(CancellationToken cancellation);

    protected abstract Task EndAsync();
}
