using System.Diagnostics;
using CrushTest.Databases;
using CrushTest.Settings;
using Throttled.Journal;

namespace CrushTest.Engine;

/// <summary>What one round of the engine took.</summary>
/// <param name="Seconds">From the start of the first query to the last event.</param>
/// <param name="Statements">Statements of every kind meanwhile.</param>
/// <param name="MostAtOnce">The most at once.</param>
/// <param name="View">Where the database shows them; null where they were counted at the driver.</param>
/// <param name="Allocated">Bytes allocated meanwhile, by all that ran in the process.</param>
/// <param name="Cpu">Processor time meanwhile, of all that ran in the process.</param>
internal sealed record EngineTime(double Seconds, long Statements, int MostAtOnce, string? View, long Allocated, TimeSpan Cpu);

/// <summary>One round: all live queries at once, on a reader of their own, until each has its last event. They go on until it is disposed.</summary>
internal sealed class EngineRound : IAsyncDisposable
{
    private readonly CrushJournal _journal;

    internal EngineRound(CrushSettings settings, CrushJournal journal, string[] ids, Action<int, long> late)
    {
        _journal = journal;
        Measures = new();
        Following = new(Measures, settings.RefreshInterval);
        Tally = new(ids, settings.Events, late);
        Consumers = new(ids, Tally);
        Reader = journal.OpenReader(new JournalOptions
        {
            MaxBufferSize = settings.Page,
            MaxConcurrentQueries = settings.Permits,
            RefreshInterval = settings.RefreshInterval,
            LoggerFactory = Log,
        });
    }

    internal Consumers Consumers { get; }

    internal Following Following { get; }

    internal EngineLog Log { get; } = new();

    internal Measures Measures { get; }

    internal JournalReader Reader { get; }

    internal Tally Tally { get; }

    /// <summary>Starts them and waits for the last event, or until none comes any more.</summary>
    internal async Task<EngineTime> RunAsync(CancellationToken cancellation)
    {
        var count = await _journal.CountStatementsAsync(cancellation);
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var (watch, cpu) = (Stopwatch.StartNew(), ProcessorTime.Start());
        Consumers.Start(id => Reader.EventsByPersistenceId(id));
        await Progress.WaitAsync(Consumers.AllDelivered, () => Tally.Delivered, cancellation);
        var (seconds, used) = (watch.Elapsed.TotalSeconds, cpu.Elapsed);
        allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        if (count is not null)
            await count.DisposeAsync();
        return new(seconds, Measures.Statements, count?.Most ?? Measures.MostRunning, count?.View, allocated, used);
    }

    /// <summary>How many permits each database gives, when the engine has asked it. It asks again, so only behind what is measured.</summary>
    internal async Task<int[]> PermitsAsync(CancellationToken cancellation) =>
        [.. (await Task.WhenAll(Reader.Journal.Engines.Select(engine => engine.LookAsync(cancellation)))).Select(health => health.Permits)];

    public async ValueTask DisposeAsync()
    {
        Tally.Ending();
        await Reader.DisposeAsync();
        await Consumers.EndAsync();
        Measures.Dispose();
    }
}
