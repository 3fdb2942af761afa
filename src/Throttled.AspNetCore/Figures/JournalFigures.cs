using System.Collections.Concurrent;

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
    private readonly ConcurrentDictionary<(string Instrument, string? State), double> _gauges = new();
    private readonly Durations _statements = new();
    private readonly Durations _waits = new();
    private long _events;
    private long _retries;
    private bool _isFirst = true;

    internal (string Name, int Shard) Order => (name, shard ?? -1);

    /// <summary>Whether the journal has reported a gauge since <see cref="Begin"/>. A closed journal reports none.</summary>
    internal bool IsOpen => !_gauges.IsEmpty;

    /// <summary>Whether the page shows an instrument.</summary>
    internal static bool Shows(string instrument) => RecorderOf(instrument) is not null;

    /// <summary>Records a measurement. Thread-safe.</summary>
    internal void Record(string instrument, double value, string? state) => RecorderOf(instrument)?.Invoke(this, instrument, value, state);

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

    private const string Breaker = "throttled.journal.circuit_breaker.state";

    private static Action<JournalFigures, string, double, string?>? RecorderOf(string instrument) => instrument switch
    {
        "throttled.journal.statement.duration" => static (figures, _, seconds, _) => figures._statements.Record(seconds),
        "throttled.journal.permit.wait_time" => static (figures, _, seconds, _) => figures._waits.Record(seconds),
        "throttled.journal.events" => static (figures, _, count, _) => Interlocked.Add(ref figures._events, (long)count),
        "throttled.journal.retries" => static (figures, _, count, _) => Interlocked.Add(ref figures._retries, (long)count),
        Breaker or "throttled.journal.permit.usage" or "throttled.journal.permit.limit" or "throttled.journal.permit.pending_requests"
            or "throttled.journal.query.count" or "throttled.journal.buffer.usage" or "throttled.journal.high_water_mark.ordering"
            or "throttled.journal.high_water_mark.stall_time" or "throttled.journal.gap.count" or "throttled.journal.broken_session.count" =>
            static (figures, name, value, state) => figures._gauges.AddOrUpdate(
                (name, state), value, (_, before) => name.Contains("high_water_mark", StringComparison.Ordinal) ? Math.Max(before, value) : before + value),
        _ => null,
    };

    private long Gauge(string instrument, string? state = null) => (long)_gauges.GetValueOrDefault((instrument, state));
}
