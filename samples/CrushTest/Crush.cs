using System.Data.Common;
using System.Diagnostics;
using CrushTest.Actors;
using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Floor;
using CrushTest.Settings;
using CrushTest.Show;

namespace CrushTest;

/// <summary>The whole test: seed the journal; rounds of floor, engine, subscriptions, empty streams and streams in turn; idle time; delivery; report.</summary>
internal sealed class Crush(CrushSettings settings, CrushJournal journal, IView view)
{
    private const int Few = 2000;

    private readonly string[] _ids = CrushEvents.Ids(settings.Streams);
    private readonly Outcome _outcome = new(settings);

    internal static async Task<CrushReport> RunAsync(CrushSettings settings, CancellationToken cancellation)
    {
        var journal = CrushJournal.Open(settings);
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
        // The engine refuses the connection string, or the driver does not work in this process.
        catch (Exception error) when (error is ArgumentException or NotSupportedException)
        {
            throw new CrushException(error.Message);
        }
    }

    // A sharded appender wraps the error, and so does SqlBulkCopy.
    private static DbException? DbErrorOf(Exception? error) => error is null ? null : error as DbException ?? DbErrorOf(error.InnerException);

    private async Task<CrushReport> RunAsync(CancellationToken cancellation)
    {
        await SeedAsync(cancellation);
        await WarmUpAsync(cancellation);
        if (!settings.HasActors)
            _outcome.Loops = Memory.OfLoops(_ids);
        for (var round = 1; round <= settings.Rounds; round++)
        {
            await FloorAsync(round, cancellation);
            await RoundAsync(Part.Engine, round, cancellation);
            foreach (var part in settings.ActorParts)
                await RoundAsync(part, round, cancellation);
        }
        if (settings.HasActors)
            await AfterActorsAsync(cancellation);
        var report = _outcome.Report(journal.Name);
        return settings.ExistingLimit is null ? report : await new ExistingPlugin(settings, journal, view).BesideAsync(report, _ids, cancellation);
    }

    private Task SeedAsync(CancellationToken cancellation)
    {
        var seeding = new Seeding(settings, journal);
        var watch = Stopwatch.StartNew();
        return view.RunAsync(
            $"journal in {journal.Name}",
            [new("seeded", () => seeding.Seeded, HasRate: true)],
            async () => await seeding.RunAsync(_ids, cancellation)
                ? $"{settings.AllEvents:N0} events appended in {watch.Elapsed.TotalSeconds:N1} s"
                : $"{settings.AllEvents:N0} events, from an earlier run");
    }

    // Runs a few streams of each kind first. Otherwise the first kind would include the compilation of all code.
    private Task WarmUpAsync(CancellationToken cancellation) => view.RunAsync("warm-up", [], async () =>
    {
        var few = _ids[..Math.Min(Few, _ids.Length)];
        foreach (var part in (Part[])[Part.Engine, .. settings.ActorParts])
        {
            await using var round = Open(part, few, static (_, _) => { });
            await Task.Run(() => round.RunAsync(cancellation), CancellationToken.None);
        }
        return $"{few.Length:N0} streams of each kind, not counted";
    });

    private Task FloorAsync(int round, CancellationToken cancellation) => view.RunAsync(Name(round, "raw floor"), [], async () =>
    {
        GC.Collect();
        var (rows, floor) = (0L, journal.OpenFloor(new(_ids, settings.Page, settings.Permits)));
        var time = await RoundTime.MeasureAsync(async () => rows = await floor.ReadAllAsync(cancellation));
        _outcome.Add(Part.Floor, time);
        return rows == settings.AllEvents
            ? $"{time.Seconds:N2} s, {rows / time.Seconds:N0} rows/s"
            : throw new CrushException($"The raw floor read {rows:N0} rows, but the journal has {settings.AllEvents:N0} events. Make sure that nothing else writes to {journal.Tables.JournalTable}.");
    });

    // The last round of the subject goes on: its queries stay open and idle, and then receive new events.
    private async Task RoundAsync(Part part, int number, CancellationToken cancellation)
    {
        var isLast = part == _outcome.Subject && number == settings.Rounds;
        if (isLast && !settings.HasActors)
            _outcome.KeptBefore = Memory.Kept();
        var delivery = new Delivery(settings);
        try
        {
            await using var round = Open(part, _ids, delivery.Arrived);
            var time = await TimeAsync(Name(number, NameOf(part)), round, view, cancellation);
            if (isLast)
                _outcome.Idle = await new IdlePhase(settings, journal, view).RunAsync(round, delivery, _ids, cancellation);
            round.Tally.CountMissing(delivery.Last);
            _outcome.Add(part, time, round);
            if (round is EngineRound engine)
                _outcome.Permits = await engine.PermitsAsync(cancellation);
        }
        finally
        {
            if (isLast)
                await journal.DeletePastAsync(settings.Events, CancellationToken.None);
        }
    }

    internal static async Task<RoundTime> TimeAsync(string name, Round round, IView view, CancellationToken cancellation, TimeSpan? limit = null)
    {
        RoundTime? time = null;
        await view.RunAsync(name, round.Figures, async () =>
        {
            GC.Collect();
            time = await Task.Run(() => round.RunAsync(cancellation, limit), CancellationToken.None);
            return $"{time.Seconds:N2} s, {round.Tally.Delivered / time.Seconds:N0} events/s"
                + (time.Statements > 0 ? $", {time.Statements:N0} statements" : "");
        });
        return time!;
    }

    private async Task AfterActorsAsync(CancellationToken cancellation)
    {
        if (settings.Memory)
        {
            await view.RunAsync("memory", [], async () =>
            {
                foreach (var part in settings.ActorParts)
                    _outcome.Kept[part] = await KeptAsync(part, cancellation);
                return string.Join(", ", _outcome.Kept.Select(kept => $"{NameOf(kept.Key)}: {kept.Value:N0} B each"));
            });
        }
        await view.RunAsync("decoding", [], async () =>
        {
            _outcome.Decoding = await DecodingTime.MeasureAsync(settings);
            return $"{_outcome.Decoding:N2} s";
        });
    }

    // Each stream gets the last event only. An actor keeps the queue that grew with hundreds of events, which would hide the difference.
    private async Task<double> KeptAsync(Part part, CancellationToken cancellation)
    {
        var before = Memory.Kept();
        await using var round = Open(part, _ids, static (_, _) => { }, first: settings.Events);
        await round.RunAsync(cancellation);
        if (part != Part.Empty)
            await round.Following.AllFollowAsync(settings.Streams, cancellation);
        return (double)(Memory.Kept() - before) / settings.Streams;
    }

    private Round Open(Part part, string[] ids, Action<int, long> late, int first = 1) => part switch
    {
        Part.Engine => new EngineRound(settings, journal, ids, late),
        Part.Empty => ActorRound.Empty(settings, journal, ids.Length, first),
        Part.Subscriptions => ActorRound.Subscriptions(settings, journal, ids, late, first),
        _ => ActorRound.Plugin(settings, journal, ids, late, first),
    };

    private static string NameOf(Part part) => part switch
    {
        Part.Engine => "engine alone",
        Part.Empty => "empty streams",
        Part.Subscriptions => "subscriptions",
        _ => "streams",
    };

    private string Name(int round, string what) => $"round {round} of {settings.Rounds}: {what}";
}
