using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;
using Throttled.Benchmarks.Growth;

namespace Throttled.Benchmarks.Links;

/// <summary>The figures of live queries that catch up over a link.</summary>
/// <param name="StatementTime">The mean time of a statement in seconds, from its permit to its last row.</param>
/// <param name="MostAtOnce">The most statements at once.</param>
/// <param name="Allocated">Bytes for an event, with its payload and with the link.</param>
/// <param name="Peak">The largest managed heap, in bytes.</param>
internal sealed record LinkFigures(double Seconds, double EventsPerSecond, long Statements, double StatementTime, int MostAtOnce, double Allocated, long Peak)
{
    internal double StatementsPerSecond => Statements / Seconds;

    /// <summary>The mean number of statements at once, by Little's law: their rate times their mean time.</summary>
    internal double InUse => StatementsPerSecond * StatementTime;
}

/// <summary>Runs live queries by persistence id, all at once, to their last event, over links to one server.</summary>
internal sealed class LinkRun
{
    private readonly CrushSettings _settings;
    private readonly string[] _ids;

    private LinkRun(CrushSettings settings) => (_settings, _ids) = (settings, CrushEvents.Ids(settings.Streams));

    /// <summary>Seeds the journal, without a link.</summary>
    internal static async Task<LinkRun> SeedAsync(CrushSettings settings)
    {
        var run = new LinkRun(settings);
        await new Seeding(settings, CrushJournal.Open(settings)).RunAsync(run._ids, CancellationToken.None);
        return run;
    }

    internal async Task<LinkFigures> MeasureAsync(DelayedLink link, int permits)
    {
        var settings = _settings with { Connections = [link.ConnectionString], Permits = permits };
        await using var round = new EngineRound(settings, CrushJournal.Open(settings), _ids, static (_, _) => { });
        await using var heap = new HeapPeak();
        var time = await Task.Run(() => round.RunAsync(CancellationToken.None));
        round.Tally.CountMissing(_ => settings.Events);
        if (round.Tally.Flaws is { FailedQueries: > 0 } or { Missing: > 0 } or { Doubled: > 0 } or { OutOfOrder: > 0 })
            throw new InvalidOperationException($"The queries went wrong: {round.Tally.Flaws.FirstFailure}");
        var statements = round.Measures.Statements;
        return new(
            time.Seconds, settings.AllEvents / time.Seconds, statements, round.Measures.StatementSeconds / statements, round.Measures.MostRunning,
            (double)time.Allocated / settings.AllEvents, heap.Most);
    }
}
