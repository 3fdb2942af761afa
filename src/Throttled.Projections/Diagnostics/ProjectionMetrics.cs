using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Throttled.Projections.Diagnostics;

/// <summary>The metrics of one projection in this process. Gauges are read when a listener asks, so they cost next to nothing without one. Thread-safe.</summary>
internal sealed class ProjectionMetrics : IDisposable
{
    internal const string Name = "Throttled.Projections";

    private const string ProjectionTag = "throttled.projection.name";

    private readonly Meter _meter;
    private readonly ConcurrentDictionary<string, VersionMetrics> _versions = new(StringComparer.Ordinal);

    internal ProjectionMetrics(string projection)
    {
        _meter = new(new MeterOptions(Name) { Tags = [new(ProjectionTag, projection)] });
        Events = Counter("events", "{event}", "Events handled");
        Batches = Counter("batches", "{batch}", "Batches committed");
        Failures = Counter("failures", "{attempt}", "Attempts at events that failed");
        DeadLettered = Counter("dead_lettered", "{event}", "Events that were stored as dead letters");
        Skipped = Counter("skipped", "{event}", "Events that were skipped after they had failed");
        PassedOver = Counter("passed_over", "{event}", "Events that the decoder passed over");
        Unhandled = Counter("unhandled", "{event}", "Events that the handler had nothing to do with");
        TransactionDuration = _meter.CreateHistogram<double>("throttled.projection.transaction.duration", "s", "Time that a transaction took, from its begin to its commit");
        Gauge("offset", "{ordering}", "The ordering up to which events are handled", version => version.Offset);
        Gauge("journal_end", "{ordering}", "The end of the journal as it was seen last", version => version.JournalEnd);
        Gauge("lag", "{ordering}", "Orderings between the offset and the end of the journal", version => version.Lag);
        Gauge("lanes.running", "{lane}", "Lanes that run in this process", version => version.Lanes);
        Gauge("dead_letters", "{event}", "Dead letters that the lanes of this process keep", version => version.DeadLetters);
        Gauge("buffered", "By", "Bytes of events in memory that are not handled yet", version => version.Buffered);
    }

    internal Counter<long> Events { get; }

    internal Counter<long> Batches { get; }

    internal Counter<long> Failures { get; }

    internal Counter<long> DeadLettered { get; }

    internal Counter<long> Skipped { get; }

    internal Counter<long> PassedOver { get; }

    internal Counter<long> Unhandled { get; }

    internal Histogram<double> TransactionDuration { get; }

    internal VersionMetrics Of(string version) => _versions.GetOrAdd(version, static (name, metrics) => new(metrics, name), this);

    internal void Forget(string version) => _versions.TryRemove(version, out _);

    public void Dispose() => _meter.Dispose();

    private Counter<long> Counter(string name, string unit, string description) =>
        _meter.CreateCounter<long>($"throttled.projection.{name}", unit, description);

    private void Gauge(string name, string unit, string description, Func<VersionMetrics, long> read) => _meter.CreateObservableGauge(
        $"throttled.projection.{name}", () => _versions.Values.Select(version => new Measurement<long>(read(version), version.Tag)), unit, description);
}

internal sealed class VersionMetrics(ProjectionMetrics all, string version)
{
    private const string VersionTag = "throttled.projection.version";

    private volatile IReadOnlyList<LaneReport> _lanes = [];
    private long _offset;
    private long _journalEnd;

    internal KeyValuePair<string, object?> Tag { get; } = new(VersionTag, version);

    internal long Offset => Volatile.Read(ref _offset);

    internal long JournalEnd => Volatile.Read(ref _journalEnd);

    internal long Lag => Math.Max(0, JournalEnd - Offset);

    internal long Lanes => _lanes.Count(lane => lane.State == LaneState.Running);

    internal long DeadLetters => _lanes.Sum(lane => lane.DeadLetters);

    internal long Buffered => _lanes.Sum(lane => lane.Buffered);

    internal void Committed(int events, TimeSpan transaction)
    {
        all.Batches.Add(1, Tag);
        all.Events.Add(events, Tag);
        all.TransactionDuration.Record(transaction.TotalSeconds, Tag);
    }

    internal void Failed() => all.Failures.Add(1, Tag);

    internal void DeadLettered() => all.DeadLettered.Add(1, Tag);

    internal void Skipped() => all.Skipped.Add(1, Tag);

    internal void PassedOver() => all.PassedOver.Add(1, Tag);

    internal void Unhandled() => all.Unhandled.Add(1, Tag);

    internal void SetJournalEnd(long value) => Volatile.Write(ref _journalEnd, value);

    internal void Set(IReadOnlyList<LaneReport> lanes, long offset)
    {
        Volatile.Write(ref _offset, offset);
        _lanes = lanes;
    }
}
