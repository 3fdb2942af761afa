using System.Diagnostics;
using CrushTest.Akka.Rounds;
using CrushTest.Akka.Settings;
using CrushTest.Akka.Show;
using CrushTest.Engine;

namespace CrushTest.Akka;

/// <summary>Gathers what the rounds give.</summary>
internal sealed class Outcome
{
    private readonly List<EngineTime> _engine = [];
    private readonly List<EngineTime> _empty = [];
    private readonly List<EngineTime> _plugin = [];
    private readonly Flaws _flaws = new();
    private readonly SortedSet<string> _warnings = [];
    private int _permits;

    /// <summary>Of the last round.</summary>
    internal IdleFigures? Idle { get; set; }

    internal StreamMemory? Memory { get; set; }

    /// <summary>Seconds to decode all payloads.</summary>
    internal double Decoding { get; set; }

    internal void Add(EngineTime time, EngineRound engine, int permits)
    {
        _engine.Add(time);
        _flaws.Add(engine.Tally.Flaws);
        _permits = permits;
        _warnings.UnionWith(engine.Log.Warnings());
    }

    internal void AddEmpty(EngineTime time, Flaws flaws)
    {
        _empty.Add(time);
        _flaws.Add(flaws);
    }

    internal void AddPlugin(EngineTime time, Flaws flaws, string[] warnings)
    {
        _plugin.Add(time);
        _flaws.Add(flaws);
        _warnings.UnionWith(warnings);
    }

    internal AkkaCrushReport Report(AkkaCrushSettings settings, string database)
    {
        var crush = settings.Crush;
        var (plugin, engine, empty) = (Seconds(_plugin), Seconds(_engine), Seconds(_empty));
        return new()
        {
            Streams = crush.Streams,
            Events = crush.Events,
            Page = crush.Page,
            Database = database,
            Payload = crush.Payload.Suffix.TrimStart('_'),
            Rounds = settings.Rounds,
            Permits = crush.Permits,
            PermitsInEffect = _permits,
            Warnings = _warnings.Count > 0 ? [.. _warnings] : null,
            Seconds = Math.Round(plugin, 3),
            EventsPerSecond = Math.Round(crush.AllEvents / plugin),
            EngineSeconds = Math.Round(engine, 3),
            EmptySeconds = Math.Round(empty, 3),
            Ratio = Math.Round(plugin / (engine + empty), 3),
            DecodingSeconds = Math.Round(Decoding, 3),
            Statements = _plugin[^1].Statements,
            MaxInFlight = _plugin.Max(time => time.MostAtOnce),
            InFlightView = _plugin[^1].View,
            Failed = _flaws.FailedQueries,
            Missing = _flaws.Missing,
            Doubled = _flaws.Doubled,
            OutOfOrder = _flaws.OutOfOrder,
            FirstFailure = _flaws.FirstFailure,
            IdleStatementsPerSecond = Math.Round(Idle!.StatementsPerSecond, 2),
            DeliveryAfterIdleMs = Math.Round(Idle.Delivery.AfterIdle, 2),
            DeliveryP50Ms = Math.Round(Idle.Delivery.P50, 2),
            DeliveryP99Ms = Math.Round(Idle.Delivery.P99, 2),
            BytesPerLiveStream = Math.Round(Memory!.Live),
            BytesPerEmptyStream = Math.Round(Memory.Empty),
            AllocatedPerEvent = Math.Round((double)_plugin[^1].Allocated / crush.AllEvents),
            AllocatedPerEmptyEvent = Math.Round((double)_empty[^1].Allocated / crush.AllEvents),
            PeakMemoryMb = Math.Round(Process.GetCurrentProcess().PeakWorkingSet64 / 1024.0 / 1024, 1),
        };
    }

    private static double Seconds(List<EngineTime> times) => Phases.Median(times.Select(time => time.Seconds));
}
