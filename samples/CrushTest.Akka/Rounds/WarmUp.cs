using Akka.Streams.Dsl;
using CrushTest.Akka.Journals;
using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;

namespace CrushTest.Akka.Rounds;

/// <summary>
/// A few streams of each kind, which are not counted: otherwise whoever comes first pays for the code of all being compiled, and the
/// empty streams come before the plugin.
/// </summary>
internal sealed class WarmUp(CrushSettings settings, CrushJournal database, string[] ids)
{
    private const int Few = 5000;

    private readonly string[] _few = ids[..Math.Min(Few, ids.Length)];

    internal async Task<string> RunAsync(CancellationToken cancellation)
    {
        await EngineAsync(cancellation);
        await EmptyAsync(cancellation);
        await PluginAsync(cancellation);
        return $"{_few.Length:N0} streams of each kind, not counted";
    }

    private async Task EngineAsync(CancellationToken cancellation)
    {
        await using var engine = new EngineRound(settings, database, _few, static (_, _) => { });
        await engine.RunAsync(cancellation);
    }

    private async Task EmptyAsync(CancellationToken cancellation)
    {
        var envelopes = CountingStage.Envelopes(settings.Events);
        await using var streams = new StreamRound(Systems.Quiet, _few.Length, TallyOf(CountingStage.Ids(_few.Length)));
        await streams.RunAsync(_ => Source.FromGraph(new CountingStage(envelopes)), cancellation);
    }

    private async Task PluginAsync(CancellationToken cancellation)
    {
        await using var streams = PluginStreams.Open(settings with { Streams = _few.Length }, database, TallyOf(_few), out var journal);
        await streams.RunAsync(index => journal.EventsByPersistenceId(_few[index], 0, long.MaxValue), cancellation);
    }

    private Tally TallyOf(string[] expected) => new(expected, settings.Events, static (_, _) => { });
}
