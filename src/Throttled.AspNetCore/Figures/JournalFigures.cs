namespace Throttled.AspNetCore.Figures;

/// <summary>The figures of one journal when they were read. Rates and durations are those since the read before it. In the first read, rates are null.</summary>
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

/// <summary>Collects the measurements of one journal's meter between two reads.</summary>
internal sealed class JournalFigures(string name, int? shard)
{
    private readonly Dictionary<string, double> _gauges = new(StringComparer.Ordinal);
    private readonly Durations _statements = new();
    private readonly Durations _waits = new();
    private long _events;
    private long _retries;
    private string _breaker = "unknown";
    private bool _isFirst = true;

    internal (string Name, int Shard) Order => (name, shard ?? -1);

    /// <summary>Returns what records the measurements of an instrument, on any thread; null if the page does not show the instrument.</summary>
    internal Action<double, string?>? RecorderOf(string instrument) => instrument switch
    {
        "throttled.journal.statement.duration" => (seconds, _) => _statements.Record(seconds),
        "throttled.journal.permit.wait" => (seconds, _) => _waits.Record(seconds),
        "throttled.journal.events" => (count, _) => Interlocked.Add(ref _events, (long)count),
        "throttled.journal.retries" => (count, _) => Interlocked.Add(ref _retries, (long)count),
        "throttled.journal.circuit_breaker.state" => (value, state) => _breaker = value == 1 && state is not null ? state : _breaker,
        "throttled.journal.permits.used" or "throttled.journal.permits.waiting" or "throttled.journal.permit.limit"
            or "throttled.journal.queries.following" or "throttled.journal.queries.lagging" or "throttled.journal.buffered"
            or "throttled.journal.high_water_mark" or "throttled.journal.high_water_mark.stall_time"
            or "throttled.journal.gap.count" or "throttled.journal.broken_session.count" => (value, _) => _gauges[instrument] = value,
        _ => null,
    };

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
            PermitsUsed = Gauge("throttled.journal.permits.used"),
            PermitLimit = Gauge("throttled.journal.permit.limit"),
            QueriesWaiting = Gauge("throttled.journal.permits.waiting"),
            QueriesFollowing = Gauge("throttled.journal.queries.following"),
            QueriesLagging = Gauge("throttled.journal.queries.lagging"),
            StatementsPerSecond = PerSecond(statements?.Count ?? 0),
            EventsPerSecond = PerSecond(events),
            RetriesPerSecond = PerSecond(retries),
            StatementDuration = statements,
            PermitWait = waits,
            HighWaterMark = _gauges.TryGetValue("throttled.journal.high_water_mark", out var mark) ? (long)mark : null,
            StalledSeconds = _gauges.GetValueOrDefault("throttled.journal.high_water_mark.stall_time"),
            Gaps = Gauge("throttled.journal.gap.count"),
            CircuitBreaker = _breaker,
            BrokenSessions = Gauge("throttled.journal.broken_session.count"),
            BufferedBytes = Gauge("throttled.journal.buffered"),
        };

        double? PerSecond(long count) => isFirst || time <= TimeSpan.Zero ? null : count / time.TotalSeconds;
    }

    private long Gauge(string instrument) => (long)_gauges.GetValueOrDefault(instrument);
}
