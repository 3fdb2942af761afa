using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Throttled.AspNetCore.Figures;

/// <summary>The figures of one journal when they were read. Rates and durations are those since the previous read. In the first read, rates are null.</summary>
internal sealed record JournalSnapshot
{
    public required string Name { get; init; }

    public required int? Shard { get; init; }

    /// <summary>The number of the journal, from 2, if an earlier one with the same name is open; otherwise null.</summary>
    public required int? Instance { get; init; }

    public required long PermitsUsed { get; init; }

    public required long PermitLimit { get; init; }

    public required long QueriesWaiting { get; init; }

    public required long QueriesFollowing { get; init; }

    public required long QueriesLagging { get; init; }

    public required double? StatementsPerSecond { get; init; }

    public required double? EventsPerSecond { get; init; }

    public required double? RetriesPerSecond { get; init; }

    public required DurationSummary? StatementDuration { get; init; }

    public required DurationSummary? PermitWait { get; init; }

    public required long? HighWaterMark { get; init; }

    public required double StalledSeconds { get; init; }

    public required double GapTimeoutSeconds { get; init; }

    public required long Gaps { get; init; }

    public required double? RewoundSecondsAgo { get; init; }

    public required long? RewoundFrom { get; init; }

    public required string CircuitBreaker { get; init; }

    public required long BrokenSessions { get; init; }

    public required long BufferedBytes { get; init; }
}

/// <summary>Collects the measurements of one journal, or of one shard, between two reads.</summary>
internal sealed class JournalFigures(string name, int? shard, int? instance)
{
    private const string Statement = "throttled.journal.statement.duration";
    private const string Wait = "throttled.journal.permit.wait_time";
    private const string Events = "throttled.journal.events";
    private const string Retries = "throttled.journal.retries";
    private const string Breaker = "throttled.journal.circuit_breaker.state";

    private readonly ConcurrentDictionary<(string Instrument, string? State), double> _gauges = new();
    private readonly ConcurrentDictionary<string, double> _totals = new(StringComparer.Ordinal);
    private readonly Durations _statements = new();
    private readonly Durations _waits = new();
    private Dictionary<string, double>? _before;

    internal (string Name, int Shard, int Instance) Order => (name, shard ?? -1, instance ?? 1);

    /// <summary>Whether the journal has reported a gauge since <see cref="Begin"/>. A closed journal reports none.</summary>
    internal bool IsOpen => !_gauges.IsEmpty;

    /// <summary>Whether the page may show an instrument. It needs most observable instruments, and two others.</summary>
    internal static bool Shows(Instrument instrument) => instrument is { IsObservable: true } or { Name: Statement or Wait };

    /// <summary>Records a measurement. Thread-safe.</summary>
    internal void Record(Instrument instrument, double value, string? state)
    {
        switch (instrument.Name)
        {
            case Statement:
                _statements.Record(value);
                break;
            case Wait:
                _waits.Record(value);
                break;
            // A closed journal still reports its counters.
            case var counter when instrument is ObservableCounter<long>:
                _totals[counter] = value;
                break;
            default:
                _gauges[(instrument.Name, state)] = value;
                break;
        }
    }

    /// <summary>Call this before the gauges are observed: a gauge that reports nothing then has no value.</summary>
    internal void Begin() => _gauges.Clear();

    /// <param name="time">The time since the last read.</param>
    internal JournalSnapshot Take(TimeSpan time)
    {
        var (statements, waits) = (_statements.Take(), _waits.Take());
        var before = _before;
        _before = new(_totals);
        return new()
        {
            Name = name,
            Shard = shard,
            Instance = instance,
            PermitsUsed = Gauge("throttled.journal.permit.usage"),
            PermitLimit = Gauge("throttled.journal.permit.limit"),
            QueriesWaiting = Gauge("throttled.journal.permit.pending_requests"),
            QueriesFollowing = Gauge("throttled.journal.query.count", "following"),
            QueriesLagging = Gauge("throttled.journal.query.count", "lagging"),
            StatementsPerSecond = PerSecond(statements?.Count ?? 0),
            EventsPerSecond = PerSecond(Increase(Events)),
            RetriesPerSecond = PerSecond(Increase(Retries)),
            StatementDuration = statements,
            PermitWait = waits,
            HighWaterMark = (long?)Known("throttled.journal.high_water_mark.ordering"),
            StalledSeconds = Known("throttled.journal.high_water_mark.stall_time") ?? 0,
            GapTimeoutSeconds = Known("throttled.journal.gap.timeout") ?? 0,
            Gaps = Gauge("throttled.journal.gap.count"),
            RewoundSecondsAgo = Known("throttled.journal.last_rewind.age"),
            RewoundFrom = (long?)Known("throttled.journal.last_rewind.ordering"),
            CircuitBreaker = _gauges.Keys.FirstOrDefault(each => each.Instrument == Breaker && _gauges[each] > 0).State ?? "unknown",
            BrokenSessions = Gauge("throttled.journal.broken_session.count"),
            BufferedBytes = Gauge("throttled.journal.buffer.usage"),
        };

        double? PerSecond(double count) => before is null || time <= TimeSpan.Zero ? null : count / time.TotalSeconds;

        double Increase(string counter) => _totals.GetValueOrDefault(counter) - (before?.GetValueOrDefault(counter) ?? 0);
    }

    private double? Known(string instrument) => _gauges.TryGetValue((instrument, null), out var value) ? value : null;

    private long Gauge(string instrument, string? state = null) => (long)_gauges.GetValueOrDefault((instrument, state));
}
