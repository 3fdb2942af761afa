using System.Data.Common;
using System.Diagnostics;
using Akka;
using Akka.Persistence.Query;
using Akka.Streams.Dsl;
using CrushTest.Akka.Journals;
using CrushTest.Akka.Rounds;
using CrushTest.Akka.Settings;
using CrushTest.Akka.Show;
using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;
using CrushTest.Show;

namespace CrushTest.Akka;

/// <summary>The test from beginning to end: seed, rounds of engine, empty streams and plugin in turn, idle, delivery, report.</summary>
internal sealed class AkkaCrush(AkkaCrushSettings settings, CrushJournal database, IView view)
{
    private readonly CrushSettings _crush = settings.Crush;
    private readonly string[] _ids = CrushEvents.Ids(settings.Crush.Streams);
    private readonly Phases _phases = new(settings.Crush, database, view);
    private readonly Outcome _outcome = new();

    internal static async Task<AkkaCrushReport> RunAsync(AkkaCrushSettings settings, CancellationToken cancellation)
    {
        await using var database = CrushJournal.Open(settings.Crush);
        var view = IView.Open(settings.Crush);
        try
        {
            var report = await new AkkaCrush(settings, database, view).RunAsync(cancellation);
            view.Show(report);
            return report;
        }
        catch (DbException error) when (!cancellation.IsCancellationRequested)
        {
            throw database.Explain(error);
        }
    }

    private async Task<AkkaCrushReport> RunAsync(CancellationToken cancellation)
    {
        await _phases.SeedAsync(_ids, cancellation);
        var warmUp = new WarmUp(_crush, database, _ids);
        await view.RunAsync("warm-up", [], () => Task.Run(() => warmUp.RunAsync(cancellation), CancellationToken.None));
        for (var round = 1; round <= settings.Rounds; round++)
        {
            await EngineAsync(round, cancellation);
            await EmptyAsync(round, cancellation);
            await PluginAsync(round, cancellation);
        }
        await WeighAsync(cancellation);
        await DecodeAsync();
        return _outcome.Report(settings, database.Name);
    }

    private async Task EngineAsync(int round, CancellationToken cancellation)
    {
        await using var engine = new EngineRound(_crush, database, _ids, static (_, _) => { });
        var time = await _phases.EngineAsync(Name(round, "engine"), engine, cancellation);
        engine.Tally.CountMissing(_ => _crush.Events);
        _outcome.Add(time, engine, (await engine.PermitsAsync(cancellation)).Sum());
    }

    private async Task EmptyAsync(int round, CancellationToken cancellation)
    {
        var tally = new Tally(CountingStage.Ids(_ids.Length), _crush.Events, static (_, _) => { });
        var envelopes = CountingStage.Envelopes(_crush.Events);
        await using var streams = new StreamRound(Systems.Quiet, _crush.Streams, tally);
        using var measures = new Measures();
        var time = await TimeAsync(
            Name(round, "empty streams"), streams, measures, _ => Source.FromGraph(new CountingStage(envelopes)), cancellation);
        tally.CountMissing(_ => _crush.Events);
        _outcome.AddEmpty(time, tally.Flaws);
    }

    // The last round goes on where the others end: its streams stay, idle, and are then appended to.
    private async Task PluginAsync(int round, CancellationToken cancellation)
    {
        var delivery = new Delivery(_crush);
        using var measures = new Measures();
        try
        {
            await using var streams = PluginStreams.Open(_crush, database, new(_ids, _crush.Events, delivery.Arrived), out var journal);
            var time = await TimeAsync(
                Name(round, "plugin"), streams, measures,
                index => journal.EventsByPersistenceId(_ids[index], 0, long.MaxValue),
                cancellation);
            if (round == settings.Rounds)
                await IdleAsync(measures, delivery, cancellation);
            streams.Tally.CountMissing(delivery.Last);
            _outcome.AddPlugin(time, streams.Tally.Flaws, streams.Warnings());
        }
        finally
        {
            if (round == settings.Rounds)
                await database.DeletePastAsync(_crush.Events, CancellationToken.None);
        }
    }

    private async Task IdleAsync(Measures measures, Delivery delivery, CancellationToken cancellation)
    {
        _outcome.Idle = await new IdlePhase(_crush, database, view)
            .RunAsync(new(measures, _crush.RefreshInterval), delivery, _ids, cancellation);
    }

    private async Task<EngineTime> TimeAsync(
        string name, StreamRound streams, Measures measures, Func<int, Source<EventEnvelope, NotUsed>> open, CancellationToken cancellation)
    {
        EngineTime? time = null;
        var figures = Phases.Figures(() => streams.Started, streams.Tally, measures);
        await view.RunAsync(name, figures, async () =>
        {
            GC.Collect();
            time = await Task.Run(() => MeasureAsync(streams, measures, open, cancellation), CancellationToken.None);
            return $"{time.Seconds:N2} s, {streams.Tally.Delivered / time.Seconds:N0} events/s"
                + (time.Statements > 0 ? $", {time.Statements:N0} statements" : "");
        });
        return time!;
    }

    private async Task<EngineTime> MeasureAsync(
        StreamRound streams, Measures measures, Func<int, Source<EventEnvelope, NotUsed>> open, CancellationToken cancellation)
    {
        var count = await database.CountStatementsAsync(cancellation);
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var cpu = ProcessorTime.Start();
        var seconds = await streams.RunAsync(open, cancellation);
        var used = cpu.Elapsed;
        allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        if (count is not null)
            await count.DisposeAsync();
        return new(seconds, measures.Statements, count?.Most ?? measures.MostRunning, count?.View, allocated, used);
    }

    private Task WeighAsync(CancellationToken cancellation) => view.RunAsync("memory", [], async () =>
    {
        var memory = _outcome.Memory = await new MemoryPhase(_crush, database, _ids).RunAsync(cancellation);
        return $"{memory.Live:N0} B for each live stream, {memory.Empty:N0} B for an empty one";
    });

    private Task DecodeAsync() => view.RunAsync("decoding", [], async () =>
    {
        _outcome.Decoding = await DecodingTime.MeasureAsync(_crush);
        return $"{_outcome.Decoding:N2} s";
    });

    private string Name(int round, string what) => $"round {round} of {settings.Rounds}: {what}";
}
