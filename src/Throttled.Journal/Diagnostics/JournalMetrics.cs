using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Reflection;

namespace Throttled.Journal.Diagnostics;

/// <summary>
/// The metrics and activities of one journal; <c>docs/operating/metrics.md</c> lists their names. Its attributes are prepared once, so a measurement
/// allocates nothing, except for a failed statement: its <c>error.type</c> needs an array of its own. Thread-safe.
/// </summary>
internal sealed class JournalMetrics : IDisposable
{
    internal const string Name = JournalInstruments.Name;

    private const string Page = "page";
    private const string Rows = "rows";

    private readonly JournalInstruments _all = JournalInstruments.OfThisProcess;
    private readonly ConcurrentDictionary<string, KeyValuePair<string, object?>[]> _kinds = new(StringComparer.Ordinal);
    private readonly string _system;
    private readonly string _key;
    private readonly Total _pages;
    private readonly Total _events;
    private readonly Total _retries;
    private readonly Total _rewinds;

    internal JournalMetrics(string system, JournalOptions options, JournalGauges gauges)
    {
        (_system, Gauges, BufferLimit, GapTimeout) = (system, gauges, options.MaxBufferedBytes, options.GapTimeout);
        KeyValuePair<string, object?>[] own = options.Shard is { } identity
            ? [new("throttled.journal.name", options.Name), new("throttled.journal.shard", identity.Shard)]
            : [new("throttled.journal.name", options.Name)];
        Tags = own;
        for (var number = 2; !_all.TryTake(_key = string.Join(',', Tags), this); number++)
            Tags = [.. own, new("throttled.journal.instance", number)];
        Following = With("throttled.query.state", "following");
        Lagging = With("throttled.query.state", "lagging");
        Breaker =
        [
            (BreakerState.Unknown, With("throttled.circuit_breaker.state", "unknown")),
            (BreakerState.Closed, With("throttled.circuit_breaker.state", "closed")),
            (BreakerState.Open, With("throttled.circuit_breaker.state", "open")),
            (BreakerState.HalfOpen, With("throttled.circuit_breaker.state", "half_open")),
        ];
        (_pages, _events, _retries, _rewinds) = (_all.Pages.Of(Tags), _all.Events.Of(Tags), _all.Retries.Of(Tags), _all.Rewinds.Of(Tags));
        _all.Openings.Of(Tags).Add(1);
        _all.Add(this);
    }

    internal JournalGauges Gauges { get; }

    internal long BufferLimit { get; }

    internal TimeSpan GapTimeout { get; }

    internal KeyValuePair<string, object?>[] Tags { get; }

    internal KeyValuePair<string, object?>[] Following { get; }

    internal KeyValuePair<string, object?>[] Lagging { get; }

    internal (BreakerState State, KeyValuePair<string, object?>[] Tags)[] Breaker { get; }

    internal void PageDelivered(int events)
    {
        _pages.Add(1);
        _events.Add(events);
    }

    internal void Retried() => _retries.Add(1);

    /// <param name="ordering">The highest ordering that was read before.</param>
    internal void Rewound(long ordering)
    {
        _rewinds.Add(1);
        Gauges.SetRewound(ordering);
    }

    internal void PermitWaited(TimeSpan time) => _all.PermitWaitTime.Record(time.TotalSeconds, Tags);

    /// <summary>Runs one statement, and records its duration and its activity.</summary>
    /// <param name="kind">The kind of statement, as listed in <c>docs/operating/metrics.md</c>.</param>
    /// <param name="run">Runs the statement.</param>
    /// <param name="cancellation">The statement's token. What the statement throws after a requested cancellation is no failure.</param>
    internal async Task MeasureAsync(string kind, Func<Task> run, CancellationToken cancellation)
    {
        var tags = _kinds.GetOrAdd(kind, static (each, metrics) => metrics.TagsOf(each), this);
        var activity = Start(kind, tags);
        var start = Stopwatch.GetTimestamp();
        Exception? failure = null;
        try
        {
            await run().ConfigureAwait(false);
        }
        catch (Exception error)
        {
            failure = cancellation.IsCancellationRequested ? null : error;
            throw;
        }
        finally
        {
            Stop(activity, kind, tags, failure);
            if (_all.StatementDuration.Enabled)
                _all.StatementDuration.Record(Stopwatch.GetElapsedTime(start).TotalSeconds, failure is null ? tags : [.. tags, ErrorOf(failure)]);
        }
    }

    public void Dispose() => _all.Remove(this, _key);

    // A statement without a parent activity begins a trace. An idle poll must not do this.
    private Activity? Start(string kind, KeyValuePair<string, object?>[] tags) => kind is Page or Rows || Activity.Current is not null
        ? _all.Activities.StartActivity(kind, ActivityKind.Client, default(ActivityContext), tags)
        : BackgroundActivity.Start(_all.Activities, kind);

    private void Stop(Activity? activity, string kind, KeyValuePair<string, object?>[] tags, Exception? failure)
    {
        if (activity is null)
            return;
        // A failed poll makes a trace.
        if (failure is not null && activity.Source != _all.Activities)
        {
            activity.Dispose();
            activity = _all.Activities.StartActivity(kind, ActivityKind.Client, default(ActivityContext), tags, links: null, activity.StartTimeUtc);
        }
        if (failure is not null)
            activity?.SetTag(ErrorOf(failure).Key, ErrorOf(failure).Value).SetStatus(ActivityStatusCode.Error, failure.GetType().Name);
        activity?.Dispose();
    }

    private static KeyValuePair<string, object?> ErrorOf(Exception failure) => new("error.type", failure.GetType().FullName);

    private KeyValuePair<string, object?>[] TagsOf(string kind) => [.. Tags, new("db.system.name", _system), new("throttled.statement.kind", kind)];

    private KeyValuePair<string, object?>[] With(string name, string value) => [.. Tags, new(name, value)];
}

/// <summary>The instruments of all journals of this process, under one meter.</summary>
internal sealed class JournalInstruments
{
    internal const string Name = "Throttled.Journal";

    private static readonly Meter Meter = new(Name, InstrumentationVersion.Of(typeof(JournalInstruments)));

    private readonly ObservedSources<JournalMetrics> _journals = new(Meter);

    // The attributes of each open journal. No two journals have the same attributes, because the SDK would export one value for both.
    private readonly ConcurrentDictionary<string, JournalMetrics> _taken = new(StringComparer.Ordinal);

    private JournalInstruments()
    {
        Openings = Counter("throttled.journal.openings", "{opening}", "How often the journal was opened");
        Pages = Counter("throttled.journal.pages", "{page}", "Pages delivered to readers");
        Events = Counter("throttled.journal.events", "{event}", "Events delivered to readers");
        Retries = Counter("throttled.journal.retries", "{statement}", "Statements that failed and were repeated");
        Rewinds = Counter("throttled.journal.rewinds", "{rewind}", "How often the journal went back");
        PermitWaitTime = Meter.CreateHistogram("throttled.journal.permit.wait_time", "s", "Time that a statement waited for its permit",
            tags: null, Buckets(0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60));
        StatementDuration = Meter.CreateHistogram("throttled.journal.statement.duration", "s", "Time that a statement took",
            tags: null, Buckets(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30));
        UpDownCounter("throttled.journal.permit.usage", "{permit}", "Permits in use", gauges => gauges.PermitsUsed);
        UpDownCounter("throttled.journal.permit.limit", "{permit}", "Permits that the journal has", gauges => gauges.PermitLimit);
        UpDownCounter("throttled.journal.permit.pending_requests", "{request}", "Queries that wait in a queue for a page", gauges => gauges.Waiting);
        Gauge<double>("throttled.journal.permit.longest_wait_time", "s", "The longest time that a waiting query has waited so far", gauges => gauges.LongestWait.TotalSeconds);
        _journals.UpDownCounter("throttled.journal.query.count", "{query}", "Live queries by state", QueriesOf);
        UpDownCounter("throttled.journal.buffer.usage", "By", "Bytes of the rows in memory, from the driver to the reader", gauges => gauges.BufferedBytes);
        _journals.UpDownCounter("throttled.journal.buffer.limit", "By", "Bytes of rows that may be in memory", journal => [new(journal.BufferLimit, journal.Tags)]);
        Gauge<long>("throttled.journal.high_water_mark.ordering", "{ordering}", "The high-water mark, if it is known", gauges => gauges.HighWaterMark);
        Gauge<double>("throttled.journal.high_water_mark.age", "s", "Time since the high-water mark was last found at the journal end", gauges => gauges.HighWaterMarkAge?.TotalSeconds);
        Gauge<double>("throttled.journal.high_water_mark.stall_time", "s", "How long open transactions have stalled the high-water mark", gauges => gauges.StalledFor.TotalSeconds);
        UpDownCounter("throttled.journal.gap.count", "{gap}", "Gaps that polls still look for", gauges => gauges.Gaps);
        _journals.Gauge<double>("throttled.journal.gap.timeout", "s", "The longest wait for a gap", journal => [new(journal.GapTimeout.TotalSeconds, journal.Tags)]);
        Gauge<double>("throttled.journal.last_rewind.age", "s", "Time since the journal last went back", gauges => gauges.RewoundAgo?.TotalSeconds);
        Gauge<long>("throttled.journal.last_rewind.ordering", "{ordering}", "The highest ordering that was read before the journal last went back", gauges => gauges.RewoundFrom);
        _journals.UpDownCounter("throttled.journal.circuit_breaker.state", "{journal}", "1 for the state of the circuit breaker, 0 for the others", BreakerOf);
        UpDownCounter("throttled.journal.broken_session.count", "{session}", "Broken sessions that hold a permit", gauges => gauges.BrokenSessions);
    }

    internal static JournalInstruments OfThisProcess { get; } = new();

    internal ActivitySource Activities { get; } = new(Name, InstrumentationVersion.Of(typeof(JournalInstruments)));

    internal SourceCounter Openings { get; }

    internal SourceCounter Pages { get; }

    internal SourceCounter Events { get; }

    internal SourceCounter Retries { get; }

    internal SourceCounter Rewinds { get; }

    internal Histogram<double> PermitWaitTime { get; }

    internal Histogram<double> StatementDuration { get; }

    internal void Add(JournalMetrics journal) => _journals.Add(journal);

    internal bool TryTake(string key, JournalMetrics journal) => _taken.TryAdd(key, journal);

    internal void Remove(JournalMetrics journal, string key)
    {
        _journals.Remove(journal);
        _taken.TryRemove(new(key, journal));
    }

    private static SourceCounter Counter(string name, string unit, string description) => new(Meter, name, unit, description);

    private static IEnumerable<Measurement<long>> QueriesOf(JournalMetrics journal) =>
        [new(journal.Gauges.Following, journal.Following), new(journal.Gauges.Lagging, journal.Lagging)];

    private static IEnumerable<Measurement<long>> BreakerOf(JournalMetrics journal) =>
        journal.Breaker.Select(each => new Measurement<long>(each.State == journal.Gauges.Breaker ? 1 : 0, each.Tags));

    // The default buckets of the SDK are for milliseconds: nearly all of these times would be in the first bucket.
    private static InstrumentAdvice<double> Buckets(params double[] bounds) => new() { HistogramBucketBoundaries = bounds };

    private void UpDownCounter(string name, string unit, string description, Func<JournalGauges, long> read) =>
        _journals.UpDownCounter(name, unit, description, journal => [new(read(journal.Gauges), journal.Tags)]);

    private void Gauge<T>(string name, string unit, string description, Func<JournalGauges, T?> read)
        where T : struct => _journals.Gauge<T>(
            name, unit, description, journal => read(journal.Gauges) is { } value ? [new(value, journal.Tags)] : []);
}

/// <summary>The version of a package. Its meter and its activity source have the same version.</summary>
internal static class InstrumentationVersion
{
    /// <param name="type">A type of the package.</param>
    internal static string Of(Type type) =>
        type.Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];
}

/// <summary>
/// Keeps background work out of the traces. The work has a parent activity that is not sampled. By default, samplers ignore the children of such an
/// activity. So neither the work nor the database driver's commands in it make a trace.
/// </summary>
internal static class BackgroundActivity
{
    /// <summary>Starts such an activity. Null if there is no listener, or if there is a current activity already.</summary>
    internal static Activity? Start(ActivitySource source, string name) =>
        Activity.Current is null && source.HasListeners() ? new Activity(name).Start() : null;
}
