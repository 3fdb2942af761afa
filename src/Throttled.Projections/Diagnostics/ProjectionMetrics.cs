using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Throttled.Journal.Diagnostics;

namespace Throttled.Projections.Diagnostics;

/// <summary>The metrics of one projection in this process; <c>docs/operating/metrics.md</c> lists their names. Thread-safe.</summary>
internal sealed class ProjectionMetrics : IDisposable
{
    internal const string Name = ProjectionInstruments.Name;

    private readonly string _projection;
    private readonly ConcurrentDictionary<string, VersionMetrics> _versions = new(StringComparer.Ordinal);
    private bool _isUnavailable;

    internal ProjectionMetrics(string projection)
    {
        _projection = projection;
        ProjectionInstruments.OfThisProcess.Add(this);
    }

    /// <summary>Whether the read model database cannot be reached. The last known journal end may be old then, so no progress is reported.</summary>
    internal bool IsUnavailable
    {
        get => Volatile.Read(ref _isUnavailable);
        set => Volatile.Write(ref _isUnavailable, value);
    }

    internal IEnumerable<VersionMetrics> Versions => _versions.Values;

    internal VersionMetrics Of(string version) => _versions.GetOrAdd(version, static (name, metrics) => new(metrics._projection, name), this);

    internal void Forget(string version) => _versions.TryRemove(version, out _);

    public void Dispose() => ProjectionInstruments.OfThisProcess.Remove(this);
}

/// <summary>The metrics of one version of a read model. Its attributes are prepared once, so a measurement allocates nothing, except a failed one.</summary>
internal sealed class VersionMetrics
{
    private readonly ProjectionInstruments _all = ProjectionInstruments.OfThisProcess;
    private readonly Total _events;
    private readonly Total _batches;
    private readonly Total _deadLettered;
    private readonly Total _skipped;
    private readonly Total _passedOver;
    private readonly Total _unhandled;
    private readonly (LaneState State, KeyValuePair<string, object?>[] Tags)[] _states;

    private volatile IReadOnlyList<LaneReport> _lanes = [];
    private volatile ShardLags? _lag;
    private long _offset;
    private long _journalEnd;
    private long _unownedLanes;

    internal VersionMetrics(string projection, string version)
    {
        Tags = [new("throttled.projection.name", projection), new("throttled.projection.version", version)];
        _states = [.. Enum.GetValues<LaneState>().Select(state => (state, With("throttled.lane.state", Enum.GetName(state)!.ToLowerInvariant())))];
        (_events, _batches, _deadLettered) = (_all.Events.Of(Tags), _all.Batches.Of(Tags), _all.DeadLettered.Of(Tags));
        (_skipped, _passedOver, _unhandled) = (_all.Skipped.Of(Tags), _all.PassedOver.Of(Tags), _all.Unhandled.Of(Tags));
    }

    internal KeyValuePair<string, object?>[] Tags { get; }

    internal long Offset => Volatile.Read(ref _offset);

    internal long JournalEnd => Volatile.Read(ref _journalEnd);

    internal long Lag => Math.Max(0, JournalEnd - Offset);

    internal TimeSpan TimeLag => _lag?.Time ?? TimeSpan.Zero;

    /// <summary>Whether a lane runs in this process. Otherwise the offset is not known here.</summary>
    internal bool HasOffset => _lanes.Any(lane => lane.State != LaneState.Idle);

    /// <summary>Lanes that no process owned when this process last looked.</summary>
    internal long UnownedLanes
    {
        get => Volatile.Read(ref _unownedLanes);
        set => Volatile.Write(ref _unownedLanes, value);
    }

    internal long DeadLetters => _lanes.Sum(lane => lane.DeadLetters);

    internal long Buffered => _lanes.Sum(lane => lane.Buffered);

    internal IEnumerable<Measurement<long>> Lanes =>
        _states.Select(each => new Measurement<long>(_lanes.Count(lane => lane.State == each.State), each.Tags));

    /// <summary>Starts the activity of a batch. It has no parent, even if the lane was started in an activity. A batch without events makes no trace.</summary>
    internal Activity? StartBatch(int lane, int events)
    {
        Activity.Current = null;
        if (!_all.Activities.HasListeners())
            return null;
        return events == 0 ? BackgroundActivity.Start(_all.Activities, "idle") : _all.Activities.StartActivity(
            "batch", ActivityKind.Internal, default(ActivityContext), [.. Tags, new("throttled.lane.number", lane), new("throttled.batch.size", events)]);
    }

    internal void Committed(int events, TimeSpan transaction)
    {
        _batches.Add(1);
        _events.Add(events);
        _all.TransactionDuration.Record(transaction.TotalSeconds, Tags);
    }

    internal void Failed(Exception cause) => _all.Failures.Of(With("error.type", cause.GetType().FullName)).Add(1);

    internal void DeadLettered() => _deadLettered.Add(1);

    internal void Skipped() => _skipped.Add(1);

    internal void PassedOver() => _passedOver.Add(1);

    internal void Unhandled() => _unhandled.Add(1);

    internal void SetJournalEnd(long value, ShardLags lag)
    {
        Volatile.Write(ref _journalEnd, value);
        _lag = lag;
    }

    internal void Set(IReadOnlyList<LaneReport> lanes, long offset)
    {
        Volatile.Write(ref _offset, offset);
        _lanes = lanes;
    }

    private KeyValuePair<string, object?>[] With(string name, string? value) => [.. Tags, new(name, value)];
}

/// <summary>The instruments of all projections of this process, under one meter.</summary>
internal sealed class ProjectionInstruments
{
    internal const string Name = "Throttled.Projections";

    private static readonly string Version = InstrumentationVersion.Of(typeof(ProjectionInstruments));
    private static readonly Meter Meter = new(Name, Version);

    private readonly ObservedSources<ProjectionMetrics> _projections = new(Meter);

    private ProjectionInstruments()
    {
        Events = Counter("throttled.projection.events", "{event}", "Events handled");
        Batches = Counter("throttled.projection.batches", "{batch}", "Batches committed");
        Failures = Counter("throttled.projection.failures", "{attempt}", "Failed attempts to handle an event");
        DeadLettered = Counter("throttled.projection.dead_lettered", "{event}", "Events stored as dead letters");
        Skipped = Counter("throttled.projection.skipped", "{event}", "Events that failed and were skipped");
        PassedOver = Counter("throttled.projection.passed_over", "{event}", "Events for which the decoder returned null");
        Unhandled = Counter("throttled.projection.unhandled", "{event}", "Events that the handler did nothing with");
        TransactionDuration = Meter.CreateHistogram("throttled.projection.transaction.duration", "s", "Time that a transaction took, including the handler",
            tags: null, new InstrumentAdvice<double> { HistogramBucketBoundaries = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] });
        ProgressGauge<long>("throttled.projection.offset", "{ordering}", "The ordering up to which events are handled", version => version.Offset);
        ProgressGauge<long>("throttled.projection.journal_end", "{ordering}", "The journal end at the last poll", version => version.JournalEnd);
        ProgressGauge<long>("throttled.projection.lag.events", "{event}", "The journal end minus the offset", version => version.Lag);
        ProgressGauge<double>("throttled.projection.lag.time", "s", "How long the projection has been behind", version => version.TimeLag.TotalSeconds);
        Gauge<long>("throttled.projection.unowned_lane.count", "{lane}", "Lanes that no process runs", version => version.UnownedLanes);
        _projections.UpDownCounter("throttled.projection.lane.count", "{lane}", "Lanes of this process by state", projection => projection.Versions.SelectMany(version => version.Lanes));
        UpDownCounter("throttled.projection.dead_letter.count", "{event}", "Dead letters of the lanes in this process", version => version.DeadLetters);
        UpDownCounter("throttled.projection.buffer.usage", "By", "Bytes of events in memory that are not handled yet", version => version.Buffered);
    }

    internal static ProjectionInstruments OfThisProcess { get; } = new();

    internal ActivitySource Activities { get; } = new(Name, Version);

    internal SourceCounter Events { get; }

    internal SourceCounter Batches { get; }

    internal SourceCounter Failures { get; }

    internal SourceCounter DeadLettered { get; }

    internal SourceCounter Skipped { get; }

    internal SourceCounter PassedOver { get; }

    internal SourceCounter Unhandled { get; }

    internal Histogram<double> TransactionDuration { get; }

    internal void Add(ProjectionMetrics projection) => _projections.Add(projection);

    internal void Remove(ProjectionMetrics projection) => _projections.Remove(projection);

    private static SourceCounter Counter(string name, string unit, string description) => new(Meter, name, unit, description);

    // If no lane runs in this process, the offset is not known.
    private void ProgressGauge<T>(string name, string unit, string description, Func<VersionMetrics, T> read)
        where T : struct => Gauge<T>(name, unit, description, version => version.HasOffset ? read(version) : null);

    // While the read model database cannot be reached, the values that were read last may be old, so they are not reported.
    private void Gauge<T>(string name, string unit, string description, Func<VersionMetrics, T?> read)
        where T : struct => _projections.Gauge(name, unit, description, projection => projection.IsUnavailable ? [] : projection.Versions
            .SelectMany<VersionMetrics, Measurement<T>>(version => read(version) is { } value ? [new(value, version.Tags)] : []));

    private void UpDownCounter(string name, string unit, string description, Func<VersionMetrics, long> read) =>
        _projections.UpDownCounter(name, unit, description, projection => projection.Versions.Select(version => new Measurement<long>(read(version), version.Tags)));
}
