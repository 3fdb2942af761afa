using System.Diagnostics.Metrics;
using System.Diagnostics;

namespace Throttled.Journal.Diagnostics;

/// <summary>
/// The metrics and activities of one journal, under the meter and the activity source <c>Throttled.Journal</c>; <c>docs/operating/metrics.md</c>
/// lists their names. Gauges are observable: without a listener they cost almost nothing.
/// </summary>
internal sealed class JournalMetrics : IDisposable
{
    internal const string Name = "Throttled.Journal";

    private const string JournalTag = "throttled.journal.name";
    private const string ShardTag = "throttled.journal.shard";

    private static readonly ActivitySource Activities = new(Name);

    private static readonly (BreakerState State, KeyValuePair<string, object?> Tag)[] BreakerStates =
    [
        (BreakerState.Unknown, new("state", "unknown")),
        (BreakerState.Closed, new("state", "closed")),
        (BreakerState.Open, new("state", "open")),
        (BreakerState.HalfOpen, new("state", "half_open")),
    ];

    private readonly Meter _meter;
    private readonly string _system;
    private readonly KeyValuePair<string, object?>[] _tags;
    private readonly Counter<long> _pages;
    private readonly Counter<long> _events;
    private readonly Counter<long> _retries;
    private readonly Histogram<double> _permitWait;
    private readonly Histogram<double> _statementDuration;

    internal JournalMetrics(string system, JournalOptions options, JournalGauges gauges)
    {
        _system = system;
        _tags = options.Shard is { } identity ? [new(JournalTag, options.Name), new(ShardTag, identity.Shard)] : [new(JournalTag, options.Name)];
        _meter = new(new MeterOptions(Name) { Tags = _tags });
        _pages = _meter.CreateCounter<long>("throttled.journal.pages", "{page}", "Pages given to readers");
        _events = _meter.CreateCounter<long>("throttled.journal.events", "{event}", "Events given to readers");
        _retries = _meter.CreateCounter<long>("throttled.journal.retries", "{statement}", "Statements that failed and were tried again");
        _permitWait = _meter.CreateHistogram<double>("throttled.journal.permit.wait", "s", "Time that a statement waited for its permit");
        _statementDuration = _meter.CreateHistogram<double>("throttled.journal.statement.duration", "s", "Time that a statement took, by kind");
        Gauge("throttled.journal.permits.used", "{permit}", "Permits in use", () => gauges.PermitsUsed);
        Gauge("throttled.journal.permits.waiting", "{query}", "Queries that wait for a page", () => gauges.Waiting);
        Gauge("throttled.journal.queries.following", "{query}", "Live queries at the end of the journal", () => gauges.Following);
        Gauge("throttled.journal.queries.lagging", "{query}", "Live queries that catch up", () => gauges.Lagging);
        Gauge("throttled.journal.buffered", "By", "Bytes of rows in memory", () => gauges.BufferedBytes);
        UpDownCounter("throttled.journal.permit.limit", "{permit}", "Permits that the journal has", () => gauges.PermitLimit);
        UpDownCounter("throttled.journal.gap.count", "{gap}", "Gaps that polls still look for", () => gauges.Gaps);
        UpDownCounter("throttled.journal.broken_session.count", "{session}", "Broken sessions that hold a permit", () => gauges.BrokenSessions);
        _meter.CreateObservableGauge("throttled.journal.high_water_mark", () => HighWaterMarkOf(gauges), "{ordering}", "The high-water mark, if it is known");
        _meter.CreateObservableGauge("throttled.journal.high_water_mark.stall_time", () => gauges.StalledFor.TotalSeconds, "s", "How long the high-water mark has been stalled");
        _meter.CreateObservableUpDownCounter("throttled.journal.circuit_breaker.state", () => StatesOf(gauges.Breaker), "1", "1 for the state of the circuit breaker, 0 for the others");
    }

    internal void PageDelivered(int events)
    {
        _pages.Add(1);
        _events.Add(events);
    }

    internal void Retried() => _retries.Add(1);

    internal void PermitWaited(TimeSpan time) => _permitWait.Record(time.TotalSeconds);

    /// <summary>Runs one statement, and records its duration and its activity.</summary>
    /// <param name="kind">The kind of statement, as listed in <c>docs/operating/metrics.md</c>.</param>
    /// <param name="run">Runs the statement.</param>
    internal async Task MeasureAsync(string kind, Func<Task> run)
    {
        using var activity = Activities.StartActivity(kind, ActivityKind.Client);
        activity?.SetTag("db.system.name", _system);
        foreach (var (name, value) in _tags)
            activity?.SetTag(name, value);
        var start = Stopwatch.GetTimestamp();
        try
        {
            await run().ConfigureAwait(false);
        }
        catch (Exception error)
        {
            activity?.SetStatus(ActivityStatusCode.Error, error.GetType().Name);
            throw;
        }
        finally
        {
            if (_statementDuration.Enabled)
                _statementDuration.Record(Stopwatch.GetElapsedTime(start).TotalSeconds, new KeyValuePair<string, object?>("kind", kind));
        }
    }

    public void Dispose() => _meter.Dispose();

    private static IEnumerable<Measurement<long>> HighWaterMarkOf(JournalGauges gauges) => gauges.HighWaterMark is { } mark ? [new(mark)] : [];

    private static IEnumerable<Measurement<long>> StatesOf(BreakerState current) =>
        BreakerStates.Select(each => new Measurement<long>(each.State == current ? 1 : 0, each.Tag));

    private void Gauge(string name, string unit, string description, Func<long> read) => _meter.CreateObservableGauge(name, read, unit, description);

    private void UpDownCounter(string name, string unit, string description, Func<long> read) =>
        _meter.CreateObservableUpDownCounter(name, read, unit, description);
}

/// <summary>The current values of the gauges. The loop sets them; any thread may read them, because each value is read and written at once.</summary>
/// <param name="bufferedBytes">Returns the bytes of all rows in memory. Called on any thread.</param>
internal sealed class JournalGauges(Func<long> bufferedBytes)
{
    private const long NotKnown = -1;

    private long _highWaterMark = NotKnown;
    private long _stalledFor;

    internal int PermitsUsed { get; set; }

    /// <summary>The limit of permits, as <see cref="JournalHealth.Permits"/>.</summary>
    internal int PermitLimit { get; set; }

    internal int Waiting { get; set; }

    internal int Following { get; set; }

    internal int Lagging { get; set; }

    internal int BrokenSessions { get; set; }

    internal BreakerState Breaker { get; set; }

    internal int Gaps { get; private set; }

    /// <summary>Null while it is not known: no query follows, or transactions of the first poll are still open.</summary>
    internal long? HighWaterMark => Volatile.Read(ref _highWaterMark) is var mark and not NotKnown ? mark : null;

    /// <summary>How long the high-water mark had been stalled when the loop last ran; 0 if it was not.</summary>
    internal TimeSpan StalledFor => TimeSpan.FromTicks(Volatile.Read(ref _stalledFor));

    internal long BufferedBytes => bufferedBytes();

    internal void SetHighWaterMark(long? mark, int gaps, TimeSpan? stalledFor)
    {
        Volatile.Write(ref _highWaterMark, mark ?? NotKnown);
        Volatile.Write(ref _stalledFor, stalledFor?.Ticks ?? 0);
        Gaps = gaps;
    }
}

/// <summary>The state of a circuit breaker, as metrics report it.</summary>
internal enum BreakerState
{
    /// <summary>The journal was not probed yet.</summary>
    Unknown,

    /// <summary>The journal can be read.</summary>
    Closed,

    /// <summary>The journal cannot be read.</summary>
    Open,

    /// <summary>The same, and a probe runs.</summary>
    HalfOpen,
}
