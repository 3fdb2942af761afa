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
    }

    internal void PageDelivered(int events)
    {
        _pages.Add(1);
        _events.Add(events);
    }

    internal void Retried() => _retries.Add(1);

    internal void PermitWaited(TimeSpan time) => _permitWait.Record(time.TotalSeconds);

    /// <summary>Starts the measurement and the activity of one statement.</summary>
    /// <param name="kind">The kind of statement, as listed in <c>docs/operating/metrics.md</c>.</param>
    internal StatementMeasure StatementStarted(string kind)
    {
        var activity = Activities.StartActivity(kind, ActivityKind.Client);
        activity?.SetTag("db.system.name", _system);
        foreach (var (name, value) in _tags)
            activity?.SetTag(name, value);
        return new(this, kind, activity, Stopwatch.GetTimestamp());
    }

    public void Dispose() => _meter.Dispose();

    private void Gauge(string name, string unit, string description, Func<long> read) =>
        _meter.CreateObservableGauge(name, read, unit, description);

    internal readonly struct StatementMeasure(JournalMetrics metrics, string kind, Activity? activity, long start)
    {
        internal void Ended(Exception? error)
        {
            if (metrics._statementDuration.Enabled)
                metrics._statementDuration.Record(Stopwatch.GetElapsedTime(start).TotalSeconds, new KeyValuePair<string, object?>("kind", kind));
            if (error is not null)
                activity?.SetStatus(ActivityStatusCode.Error, error.GetType().Name);
            activity?.Dispose();
        }
    }
}

/// <summary>The current values of the gauges. The loop sets them; any thread may read them.</summary>
/// <param name="bufferedBytes">Returns the bytes of all rows in memory. Called on any thread.</param>
internal sealed class JournalGauges(Func<long> bufferedBytes)
{
    private long _permitsUsed;
    private long _waiting;
    private long _following;
    private long _lagging;

    internal long PermitsUsed => Interlocked.Read(ref _permitsUsed);

    internal long Waiting => Interlocked.Read(ref _waiting);

    internal long Following => Interlocked.Read(ref _following);

    internal long Lagging => Interlocked.Read(ref _lagging);

    internal long BufferedBytes => bufferedBytes();

    internal void SetPermitsUsed(long value) => Volatile.Write(ref _permitsUsed, value);

    internal void SetWaiting(long value) => Volatile.Write(ref _waiting, value);

    internal void AddFollowing(int change) => Volatile.Write(ref _following, _following + change);

    internal void AddLagging(int change) => Volatile.Write(ref _lagging, _lagging + change);
}
