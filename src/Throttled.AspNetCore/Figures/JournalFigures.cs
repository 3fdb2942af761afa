using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Throttled.AspNetCore.Figures;

/// <summary>The figures of one journal when they were read. Rates and durations are those since the previous read. In the first read, rates are null.</summary>
internal sealed record JournalSnapshot
{
    public required string Name { get; init; }

    public required int? Shard { get; init; }

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

    public required long Gaps { get; init; }

    public required string CircuitBreaker { get; init; }

    public required long BrokenSessions { get; init; }

    public required long BufferedBytes { get; init; }
}

/// <summary>Collects the measurements of one journal, or of one shard, between two reads. Readers with the same name count as one journal.</summary>
internal sealed class JournalFigures(string name, int? shard)
{
    private const string Statement = "throttled.journal.statement.duration";
    private const string Wait = "throttled.journal.permit.wait_time";
    private const string Events = "throttled.journal.events";
    private const string Retries = "throttled.journal.retries";
    private const string Breaker = "throttled.journal.circuit_breaker.state";

    private readonly ConcurrentDictionary<(string Instrument, string? State), double> _gauges = new();
    private readonly Durations _statements = new();
    private readonly Durations _waits = new();
    private long _events;
    private long _retries;
    private bool _isFirst = true;

    internal (string Name, int Shard) Order => (name, shard ?? -1);

    /// <summary>Whether the journal has reported a gauge since <see cref="Begin"/>. A closed journal reports none.</summary>
    internal bool IsOpen => !_gauges.IsEmpty;

    /// <summary>Whether the page may show an instrument. It needs most gauges, and few of the others.</summary>
    internal static bool Shows(Instrument instrument) =>
        instrument is ObservableUpDownCounter<long> or ObservableGauge<long> or ObservableGauge<double> or { Name: Statement or Wait or Events or Retries };

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
            case Events:
                Interlocked.Add(ref _events, (long)value);
                break;
            case Retries:
                Interlocked.Add(ref _retries, (long)value);
                break;
            default:
                // Several readers may have the same name.
                _gauges.AddOrUpdate((instrument.Name, state), value, (_, before) => instrument is ObservableUpDownCounter<long> ? before + value : Math.Max(before, value));
                break;
        }
    }

    /// <summary>Call this before the gauges are observed: a gauge that reports nothing then has no value.</summary>
    internal void Begin() => _gauges.Clear();

    /// <param name="time">The time since the last read.</param>
    internal JournalSnapshot Take(TimeSpan time)
    {
        var (events, retries) = (Interlocked.Exchange(ref _events, 0), Interlocked.Exchange(ref _retries, 0));
        var (statements, waits) = (_statements.Take(), _waits.Take());
        var isFirst = _isFirst;
        _isFirst = false;
        return new()
        {
            Name = name,
            Shard = shard,
            PermitsUsed = Gauge("throttled.journal.permit.usage"),
            PermitLimit = Gauge("throttled.journal.permit.limit"),
            QueriesWaiting = Gauge("throttled.journal.permit.pending_requests"),
            QueriesFollowing = Gauge("throttled.journal.query.count", "following"),
            QueriesLagging = Gauge("throttled.journal.query.count", "lagging"),
            StatementsPerSecond = PerSecond(statements?.Count ?? 0),
            EventsPerSecond = PerSecond(events),
            RetriesPerSecond = PerSecond(retries),
            StatementDuration = statements,
            PermitWait = waits,
            HighWaterMark = _gauges.TryGetValue(("throttled.journal.high_water_mark.ordering", null), out var mark) ? (long)mark : null,
            StalledSeconds = _gauges.GetValueOrDefault(("throttled.journal.high_water_mark.stall_time", null)),
            Gaps = Gauge("throttled.journal.gap.count"),
            CircuitBreaker = _gauges.Keys.FirstOrDefault(each => each.Instrument == Breaker && _gauges[each] > 0).State ?? "unknown",
            BrokenSessions = Gauge("throttled.journal.broken_session.count"),
            BufferedBytes = Gauge("throttled.journal.buffer.usage"),
        };

        double? PerSecond(long count) => isFirst || time <= TimeSpan.Zero ? null : count / time.TotalSeconds;
    }

    private long Gauge(string instrument, string? state = null) => (long)_gauges.GetValueOrDefault((instrument, state));
}
