using System.Diagnostics;
using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query;
using Akka.Persistence.Query.Throttled;
using Akka.Persistence.Sql.Query;
using Akka.Streams;
using Akka.Streams.Dsl;
using CrushTest.Actors;
using CrushTest.Databases;
using CrushTest.Settings;

namespace Throttled.Benchmarks.Replay;

/// <summary>Events per second of a replay through an Akka stream.</summary>
internal sealed record StreamFigures(double Ours, double Theirs);

/// <summary>A replay of all events through an Akka stream, with this plugin and with Akka.Persistence.Sql.</summary>
internal static class StreamReplays
{
    internal static async Task<StreamFigures> MeasureAsync(CrushSettings settings, CrushJournal journal, int rounds)
    {
        List<double> ours = [], theirs = [];
        for (var round = 1; round <= rounds; round++)
        {
            ours.Add(await RateAsync<ThrottledReadJournal>(ActorConfig.Plugin(settings, journal), ThrottledReadJournal.Identifier, settings.AllEvents));
            theirs.Add(await RateAsync<SqlReadJournal>(ActorConfig.Existing(settings, journal), SqlReadJournal.Identifier, settings.AllEvents));
            Console.WriteLine($"  streams: Throttled {ours[^1]:N0}/s, Akka.Persistence.Sql {theirs[^1]:N0}/s");
        }
        return new(Figures.Median(ours), Figures.Median(theirs));
    }

    internal static IEnumerable<string> Table(IEnumerable<(string Database, StreamFigures Streams)> figures)
    {
        yield return "";
        yield return "| database | stream of Throttled, rows/s | of Akka.Persistence.Sql, rows/s | ratio |";
        yield return "|---|---:|---:|---:|";
        foreach (var (database, one) in figures)
            yield return $"| {database} | {one.Ours:N0} | {one.Theirs:N0} | {one.Ours / one.Theirs:N1} × |";
    }

    private static async Task<double> RateAsync<TJournal>(Config config, string identifier, long events)
        where TJournal : IReadJournal, ICurrentAllEventsQuery
    {
        using var system = ActorSystem.Create("replay", config);
        var journal = PersistenceQuery.Get(system).ReadJournalFor<TJournal>(identifier);
        GC.Collect();
        var watch = Stopwatch.StartNew();
        var count = await journal.CurrentAllEvents(Offset.NoOffset()).RunWith(Sink.Aggregate<EventEnvelope, long>(0, static (sum, _) => sum + 1), system.Materializer());
        var seconds = watch.Elapsed.TotalSeconds;
        await system.Terminate();
        return count == events ? events / seconds : throw new InvalidOperationException($"The stream of {typeof(TJournal).Name} delivered {count:N0} events; there are {events:N0}.");
    }
}
