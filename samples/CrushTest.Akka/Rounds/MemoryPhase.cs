using Akka;
using Akka.Persistence.Query;
using Akka.Streams.Dsl;
using CrushTest.Akka.Journals;
using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;

namespace CrushTest.Akka.Rounds;

/// <summary>Memory kept for a stream that is alive and idle, with its actor.</summary>
/// <param name="Live">A live query.</param>
/// <param name="Empty">An empty stream.</param>
internal sealed record StreamMemory(double Live, double Empty);

/// <summary>
/// Measures memory with all streams alive and idle. Each has had one event, the last one: actors that had hundreds keep queues as long as
/// they happened to grow, which would hide the difference.
/// </summary>
internal sealed class MemoryPhase(CrushSettings settings, CrushJournal database, string[] ids)
{
    internal async Task<StreamMemory> RunAsync(CancellationToken cancellation) =>
        new(await LiveAsync(cancellation), await EmptyAsync(cancellation));

    private async Task<double> LiveAsync(CancellationToken cancellation)
    {
        using var measures = new Measures();
        await using var streams = PluginStreams.Open(settings, database, TallyOf(ids), out var journal);
        return await KeptAsync(
            streams,
            index => journal.EventsByPersistenceId(ids[index], settings.Events, long.MaxValue),
            () => new Following(measures, settings.RefreshInterval).AllFollowAsync(settings.Streams, cancellation),
            cancellation);
    }

    private async Task<double> EmptyAsync(CancellationToken cancellation)
    {
        await using var streams = new StreamRound(Systems.Quiet, settings.Streams, TallyOf(CountingStage.Ids(ids.Length)));
        var last = CountingStage.Envelopes(settings.Events)[^1..];
        return await KeptAsync(streams, _ => Source.FromGraph(new CountingStage(last)), () => Task.CompletedTask, cancellation);
    }

    private Tally TallyOf(string[] expected) => new(expected, settings.Events, static (_, _) => { }, first: settings.Events);

    private async Task<double> KeptAsync(
        StreamRound streams, Func<int, Source<EventEnvelope, NotUsed>> open, Func<Task> rest, CancellationToken cancellation)
    {
        var before = Memory.Kept();
        await streams.RunAsync(open, cancellation);
        await rest();
        return (double)(Memory.Kept() - before) / settings.Streams;
    }
}
