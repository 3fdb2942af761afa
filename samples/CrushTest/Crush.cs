using System.Data.Common;
using System.Diagnostics;
using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Floor;
using CrushTest.Settings;
using CrushTest.Show;
using Throttled.Journal;

namespace CrushTest;

/// <summary>The test from beginning to end: seed, three rounds of floor and engine in turn, idle, delivery, report.</summary>
internal sealed class Crush(CrushSettings settings, CrushJournal journal, IView view)
{
    private const int Rounds = 3;

    private readonly string[] _ids = CrushEvents.Ids(settings.Streams);
    private readonly Phases _phases = new(settings, journal, view);
    private readonly List<FloorTime> _floors = [];
    private readonly List<EngineTime> _times = [];
    private readonly Flaws _flaws = new();
    private readonly SortedSet<string> _warnings = [];
    private int[] _permits = [];

    internal static async Task<CrushReport> RunAsync(CrushSettings settings, CancellationToken cancellation)
    {
        await using var journal = CrushJournal.Open(settings);
        var view = IView.Open(settings);
        try
        {
            var report = await new Crush(settings, journal, view).RunAsync(cancellation);
            view.Show(report);
            return report;
        }
        catch (Exception error) when (DbErrorOf(error) is { } refused && !cancellation.IsCancellationRequested)
        {
            throw journal.Explain(refused);
        }
        // A connection string that no journal is opened with; a driver that does not work in this process.
        catch (Exception error) when (error is ArgumentException or NotSupportedException)
        {
            throw new CrushException(error.Message);
        }
    }

    // An appender of several databases wraps it, and so does SqlBulkCopy.
    private static DbException? DbErrorOf(Exception? error) => error is null ? null : error as DbException ?? DbErrorOf(error.InnerException);

    private async Task<CrushReport> RunAsync(CancellationToken cancellation)
    {
        await _phases.SeedAsync(_ids, cancellation);
        var loops = Memory.OfLoops(_ids);
        for (var round = 1; round < Rounds; round++)
        {
            await FloorAsync(round, cancellation);
            await RoundAsync(round, cancellation);
        }
        await FloorAsync(Rounds, cancellation);
        var idle = await LastRoundAsync(loops, cancellation);
        return Report(idle, loops);
    }

    // A method of its own, so that nothing of it is in memory when that of the last round is measured.
    private async Task RoundAsync(int round, CancellationToken cancellation)
    {
        await using var engine = Open(static (_, _) => { });
        await EngineAsync(round, engine, cancellation);
        engine.Tally.CountMissing(_ => settings.Events);
        await NoteAsync(engine, cancellation);
    }

    // The last round goes on where the others end: its queries stay, idle, and are then appended to.
    private async Task<IdleFigures> LastRoundAsync(LoopCost loops, CancellationToken cancellation)
    {
        var before = Memory.Kept();
        var delivery = new Delivery(settings);
        IdleFigures figures;
        try
        {
            await using var engine = Open(delivery.Arrived);
            await EngineAsync(Rounds, engine, cancellation);
            figures = await new IdlePhase(settings, journal, view).RunAsync(engine.Following, delivery, _ids, cancellation);
            engine.Tally.CountMissing(delivery.Last);
            await NoteAsync(engine, cancellation);
        }
        finally
        {
            await journal.DeletePastAsync(settings.Events, CancellationToken.None);
        }
        return figures with { Kept = figures.Kept - before - loops.Kept };
    }

    private async Task NoteAsync(EngineRound engine, CancellationToken cancellation)
    {
        _flaws.Add(engine.Tally.Flaws);
        _permits = await engine.PermitsAsync(cancellation);
        _warnings.UnionWith(engine.Log.Warnings());
    }

    private EngineRound Open(Action<int, long> late) => new(settings, journal, _ids, late);

    private Task FloorAsync(int round, CancellationToken cancellation)
    {
        var plan = new FloorPlan(_ids, settings.Page, settings.Permits);
        return view.RunAsync($"round {round} of {Rounds}: floor", [], async () =>
        {
            GC.Collect();
            var (watch, cpu) = (Stopwatch.StartNew(), ProcessorTime.Start());
            var rows = await journal.OpenFloor(plan).ReadAllAsync(cancellation);
            _floors.Add(new(watch.Elapsed.TotalSeconds, cpu.Elapsed));
            return rows == settings.AllEvents
                ? $"{_floors[^1].Seconds:N2} s, {rows / _floors[^1].Seconds:N0} rows/s"
                : throw new CrushException($"The floor read {rows:N0} rows; there are {settings.AllEvents:N0}. Does somebody else write to {journal.Tables}?");
        });
    }

    private async Task EngineAsync(int round, EngineRound engine, CancellationToken cancellation) =>
        _times.Add(await _phases.EngineAsync($"round {round} of {Rounds}: engine", engine, cancellation));

    private CrushReport Report(IdleFigures idle, LoopCost loops)
    {
        var (seconds, floor) = (Phases.Median(_times.Select(time => time.Seconds)), Phases.Median(_floors.Select(floor => floor.Seconds)));
        var allocated = Phases.Median(_times.Select(time => (double)time.Allocated)) - loops.Allocated;
        return new()
        {
            Streams = settings.Streams,
            Events = settings.Events,
            Page = settings.Page,
            Database = journal.Name,
            Shards = settings.Shards,
            Permits = settings.Permits,
            PermitsInEffect = _permits.Sum(),
            PermitsOfEach = _permits,
            Warnings = _warnings.Count > 0 ? [.. _warnings] : null,
            Seconds = Math.Round(seconds, 3),
            EventsPerSecond = Math.Round(settings.AllEvents / seconds),
            FloorSeconds = Math.Round(floor, 3),
            Ratio = Math.Round(seconds / floor, 3),
            CpuPerEvent = PerEvent(_times.Select(time => time.Cpu)),
            FloorCpuPerEvent = PerEvent(_floors.Select(floor => floor.Cpu)),
            Statements = _times[^1].Statements,
            MaxInFlight = _times.Max(time => time.MostAtOnce),
            InFlightView = _times[^1].View,
            Failed = _flaws.FailedQueries,
            Missing = _flaws.Missing,
            Doubled = _flaws.Doubled,
            OutOfOrder = _flaws.OutOfOrder,
            FirstFailure = _flaws.FirstFailure,
            IdleStatementsPerSecond = Math.Round(idle.StatementsPerSecond, 2),
            DeliveryAfterIdleMs = Math.Round(idle.Delivery.AfterIdle, 2),
            DeliveryP50Ms = Math.Round(idle.Delivery.P50, 2),
            DeliveryP99Ms = Math.Round(idle.Delivery.P99, 2),
            BytesPerLiveQuery = Math.Round((double)idle.Kept / settings.Streams, 1),
            AllocatedPerEvent = Math.Round((allocated / settings.AllEvents) - CrushEvents.OnHeap(settings.Payload), 1),
            PeakMemoryMb = Math.Round(Process.GetCurrentProcess().PeakWorkingSet64 / 1024.0 / 1024, 1),
        };
    }

    private double PerEvent(IEnumerable<TimeSpan> times) =>
        Math.Round(Phases.Median(times.Select(time => time.TotalMicroseconds)) / settings.AllEvents, 3);

    private sealed record FloorTime(double Seconds, TimeSpan Cpu);
}
