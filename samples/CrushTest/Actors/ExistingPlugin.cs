using System.Reflection;
using Akka.Configuration;
using Akka.Persistence.Sql;
using Akka.Persistence.Sql.Query;
using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;
using CrushTest.Show;

namespace CrushTest.Actors;

/// <summary>
/// Runs the same actors with Akka.Persistence.Sql on the same journal: with its default timeout, and with one hour. Its
/// failures are counted separately and do not make our result flawed.
/// </summary>
internal sealed class ExistingPlugin(CrushSettings settings, CrushJournal journal, IView view)
{
    private const int Few = 200;

    private static readonly TimeSpan Raised = TimeSpan.FromHours(1);

    internal async Task<CrushReport> BesideAsync(CrushReport ours, string[] ids, CancellationToken cancellation)
    {
        var standard = SqlPersistence.DefaultConfiguration.GetTimeSpan(ActorConfig.ExistingTimeout);
        List<BesideReport> runs = [];
        await WarmUpAsync(ids[..Math.Min(Few, ids.Length)], cancellation);
        foreach (var timeout in new[] { standard, Raised })
            runs.Add(await RunAsync(timeout, ours, ids, cancellation));
        return ours with { Beside = runs };
    }

    private Task WarmUpAsync(string[] ids, CancellationToken cancellation) => view.RunAsync("Akka.Persistence.Sql, warm-up", [], async () =>
    {
        await using var round = Open(Raised, ids);
        await Task.Run(() => round.RunAsync(cancellation, settings.ExistingLimit), CancellationToken.None);
        return $"{ids.Length:N0} streams, not counted";
    });

    private ActorRound Open(TimeSpan timeout, string[] ids) => ActorRound.Existing(
        settings,
        journal,
        ids,
        ConfigurationFactory.ParseString($"{ActorConfig.ExistingTimeout} = {timeout.TotalSeconds}s").WithFallback(ActorConfig.Existing(settings, journal)));

    private async Task<BesideReport> RunAsync(TimeSpan timeout, CrushReport ours, string[] ids, CancellationToken cancellation)
    {
        await using var round = Open(timeout, ids);
        var time = await Crush.TimeAsync(
            $"Akka.Persistence.Sql, {timeout.TotalSeconds:N0} s", round, view, cancellation, settings.ExistingLimit);
        var (tally, complete) = (round.Tally, round.Tally.Complete);
        return new()
        {
            Plugin = $"Akka.Persistence.Sql {VersionOf(typeof(SqlReadJournal).Assembly)}",
            TimeoutSeconds = timeout.TotalSeconds,
            Seconds = Math.Round(time.Seconds, 3),
            Ratio = complete == ids.Length ? Math.Round(time.Seconds / ours.Seconds, 2) : null,
            Complete = complete,
            Delivered = tally.Delivered,
            Failed = tally.Flaws.FailedQueries,
            FirstFailure = tally.Flaws.FirstFailure,
            AllocatedPerEvent = Math.Round((double)time.Allocated / Math.Max(1, tally.Delivered)),
            PeakMemoryMb = Outcome.PeakMemory,
        };
    }

    // The commit follows the plus sign.
    private static string VersionOf(Assembly assembly) =>
        assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0] ?? "";
}
