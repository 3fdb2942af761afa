using System.Diagnostics;
using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;
using CrushTest.Show;

namespace CrushTest;

/// <summary>The readers that are timed, in turn, in each round.</summary>
internal enum Part
{
    Floor,
    Engine,
    Subscriptions,
    Empty,
    Streams,
}

/// <summary>Collects the measurements of all rounds, and makes the report.</summary>
internal sealed class Outcome(CrushSettings settings)
{
    private readonly ILookup<Part, List<RoundTime>> _times = Enum.GetValues<Part>().ToLookup(part => part, _ => new List<RoundTime>());
    private readonly Flaws _flaws = new();
    private readonly SortedSet<string> _warnings = [];

    /// <summary>The reader under test; the others are for comparison.</summary>
    internal Part Subject => settings.ActorParts is [.., var last] ? last : Part.Engine;

    internal int[] Permits { get; set; } = [];

    internal IdleFigures? Idle { get; set; }

    /// <summary>Bytes for each idle actor with its query.</summary>
    internal SortedDictionary<Part, double> Kept { get; } = [];

    internal LoopCost? Loops { get; set; }

    /// <summary>The managed heap before the last round.</summary>
    internal long KeptBefore { get; set; }

    /// <summary>Seconds to decode all payloads.</summary>
    internal double? Decoding { get; set; }

    /// <summary>The peak memory of the process, in MB.</summary>
    internal static double PeakMemory
    {
        get
        {
            using var own = Process.GetCurrentProcess();
            return Math.Round(own.PeakWorkingSet64 / 1024.0 / 1024, 1);
        }
    }

    internal void Add(Part part, RoundTime time) => Times(part).Add(time);

    internal void Add(Part part, RoundTime time, Round round)
    {
        Add(part, time);
        _flaws.Add(round.Tally.Flaws);
        _warnings.UnionWith(round.Warnings());
    }

    internal CrushReport Report(string database)
    {
        var times = Times(Subject);
        var (seconds, floor, engine) = (Seconds(Subject), Seconds(Part.Floor), Seconds(Part.Engine));
        var report = new CrushReport
        {
            Streams = settings.Streams,
            EventsPerStream = settings.Events,
            Page = settings.Page,
            Database = database,
            Shards = settings.Shards,
            Payload = settings.Payload.Name,
            HasActors = settings.HasActors,
            Rounds = settings.Rounds,
            Permits = settings.Permits,
            PermitsInEffect = Permits,
            Seconds = Math.Round(seconds, 3),
            EventsPerSecond = Math.Round(settings.AllEvents / seconds),
            FloorSeconds = Math.Round(floor, 3),
            Ratio = Math.Round(seconds / floor, 3),
            EngineSeconds = Math.Round(engine, 3),
            CpuPerEvent = CpuPerEvent(Subject),
            FloorCpuPerEvent = CpuPerEvent(Part.Floor),
            Statements = times[^1].Statements,
            MaxInFlight = times.Max(time => time.MostAtOnce),
            InFlightView = times[^1].View,
            Failed = _flaws.FailedQueries,
            Missing = _flaws.Missing,
            Doubled = _flaws.Doubled,
            OutOfOrder = _flaws.OutOfOrder,
            FirstFailure = _flaws.FirstFailure,
            Warnings = _warnings.Count > 0 ? [.. _warnings] : null,
            RefreshIntervalMs = settings.RefreshInterval.TotalMilliseconds,
            IdleStatementsPerSecond = Math.Round(Idle!.StatementsPerSecond, 2),
            DeliveryAfterIdleMs = Math.Round(Idle.Delivery.AfterIdle, 2),
            DeliveryP50Ms = Math.Round(Idle.Delivery.P50, 2),
            DeliveryP99Ms = Math.Round(Idle.Delivery.P99, 2),
            AllocatedPerEvent = Math.Round(AllocatedPerEvent(Subject)),
            PeakMemoryMb = PeakMemory,
        };
        return settings.HasActors ? OfActors(report) : OfEngine(report);
    }

    private CrushReport OfActors(CrushReport report) => report with
    {
        EmptySeconds = settings.HasStreams ? Math.Round(Seconds(Part.Empty), 3) : null,
        RatioToParts = settings.HasStreams ? Math.Round(Seconds(Part.Streams) / (Seconds(Part.Engine) + Seconds(Part.Empty)), 3) : null,
        SubscriptionSeconds = settings.HasSubscriptions ? Math.Round(Seconds(Part.Subscriptions), 3) : null,
        SubscriptionRatioToEngine = settings.HasSubscriptions ? Math.Round(Seconds(Part.Subscriptions) / Seconds(Part.Engine), 3) : null,
        DecodingSeconds = Decoding is { } seconds ? Math.Round(seconds, 3) : null,
        BytesPerLiveStream = KeptBy(Part.Streams),
        BytesPerEmptyStream = KeptBy(Part.Empty),
        BytesPerLiveSubscription = KeptBy(Part.Subscriptions),
        AllocatedPerEmptyEvent = settings.HasStreams ? Math.Round(AllocatedPerEvent(Part.Empty)) : null,
        AllocatedPerSubscriptionEvent = settings.HasSubscriptions ? Math.Round(AllocatedPerEvent(Part.Subscriptions)) : null,
    };

    private double? KeptBy(Part part) => Kept.TryGetValue(part, out var kept) ? Math.Round(kept) : null;

    private CrushReport OfEngine(CrushReport report) => report with
    {
        BytesPerLiveQuery = Math.Round((double)(Idle!.Kept - KeptBefore - Loops!.Kept) / settings.Streams, 1),
        AllocatedPerEvent = Math.Round(
            AllocatedPerEvent(Part.Engine) - ((double)Loops.Allocated / settings.AllEvents) - CrushEvents.OnHeap(settings.Payload), 1),
    };

    private List<RoundTime> Times(Part part) => _times[part].Single();

    private double Seconds(Part part) => Median(part, time => time.Seconds);

    private double AllocatedPerEvent(Part part) => Median(part, time => time.Allocated) / settings.AllEvents;

    private double CpuPerEvent(Part part) => Math.Round(Median(part, time => time.Cpu.TotalMicroseconds) / settings.AllEvents, 3);

    private double Median(Part part, Func<RoundTime, double> value)
    {
        double[] ordered = [.. Times(part).Select(value).Order()];
        return ordered[ordered.Length / 2];
    }
}
