using System.Diagnostics;
using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;
using CrushTest.Show;

namespace CrushTest;

/// <summary>What every crush test goes through.</summary>
internal sealed class Phases(CrushSettings settings, CrushJournal journal, IView view)
{
    internal Task SeedAsync(string[] ids, CancellationToken cancellation)
    {
        var seeding = new Seeding(settings, journal);
        var watch = Stopwatch.StartNew();
        return view.RunAsync(
            $"journal in {journal.Name}",
            [new("seeded", () => seeding.Seeded, HasRate: true)],
            async () => await seeding.RunAsync(ids, cancellation)
                ? $"{settings.AllEvents:N0} events appended in {watch.Elapsed.TotalSeconds:N1} s"
                : $"{settings.AllEvents:N0} events, from an earlier run");
    }

    internal async Task<EngineTime> EngineAsync(string name, EngineRound engine, CancellationToken cancellation)
    {
        EngineTime? time = null;
        await view.RunAsync(name, Figures(() => engine.Consumers.Started, engine.Tally, engine.Measures), async () =>
        {
            GC.Collect();
            time = await Task.Run(() => engine.RunAsync(cancellation), CancellationToken.None);
            return $"{time.Seconds:N2} s, {engine.Tally.Delivered / time.Seconds:N0} events/s, {time.Statements:N0} statements";
        });
        return time!;
    }

    /// <summary>What changes while queries run.</summary>
    internal static Figure[] Figures(Func<long> started, Tally tally, Measures measures) =>
    [
        new("started", started),
        new("delivered", () => tally.Delivered, HasRate: true),
        new("permits in use", () => measures.PermitsUsed),
        new("waiting", () => measures.Waiting),
        new("following", () => measures.Following),
    ];

    internal static double Median(IEnumerable<double> values)
    {
        double[] ordered = [.. values.Order()];
        return ordered[ordered.Length / 2];
    }
}
