using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Throttled.Projections.Diagnostics;

/// <summary>
/// One projection's figures of this process for whoever listens, under the meter <c>Throttled.Projections</c>, by version. Gauges are asked for, not
/// pushed, so that nobody listening costs next to nothing. Thread-safe.
/// </summary>
internal sealed class ProjectionMetrics : IDisposable
{
    internal const string Name = "Throttled.Projections";

    private const string ProjectionTag = "throttled.projection.name";

    private readonly Meter _meter;
    private readonly ConcurrentDictionary<string, TargetMetrics> _targets = new(StringComparer.Ordinal);

    internal ProjectionMetrics(string projection)
    {
        _meter = new(new MeterOptions(Name) { Tags = [new(ProjectionTag, projection)] });
        Events = Counter("events", "{event}", "Events handled");
        Batches = Counter("batches", "{batch}", "Batches committed");
        Failures = Counter("failures", "{attempt}", "Attempts at events that failed");
        Parked = Counter("dead_lettered", "{event}", "Events that were stored as dead letters");
        Skipped = Counter("skipped", "{event}", "Events that were skipped after they had failed");
        PassedOver = Counter("passed_over", "{event}", "Events that the decoder passed over");
        Unhandled = Counter("unhandled", "{event}", "Events that the handler had nothing to do with");
        TransactionDuration = _meter.CreateHistogram<double>("throttled.projection.transaction.duration", "s", "Time that a transaction took, from its begin to its commit");
        Gauge("offset", "{ordering}", "The ordering up to which events are handled", target => target.Position);
        Gauge("journal_end", "{ordering}", "The end of the journal as it was seen last", target => target.Head);
        Gauge("lag", "{ordering}", "Orderings between the offset and the end of the journal", target => target.Lag);
        Gauge("lanes.running", "{lane}", "Lanes that run in this process", target => target.Lanes);
        Gauge("dead_letters", "{event}", "Dead letters that the lanes of this process keep", target => target.DeadLetters);
        Gauge("buffered", "By", "Bytes of events in memory that are not handled yet", target => target.Buffered);
    }

    internal Counter<long> Events { get; }

    internal Counter<long> Batches { get; }

    internal Counter<long> Failures { get; }

    internal Counter<long> Parked { get; }

    internal Counter<long> Skipped { get; }

    internal Counter<long> PassedOver { get; }

    internal Counter<long> Unhandled { get; }

    internal Histogram<double> TransactionDuration { get; }

    /// <summary>The figures of one read model, always the same for it.</summary>
    internal TargetMetrics Of(string target) => _targets.GetOrAdd(target, static (name, metrics) => new(metrics, name), this);

    /// <summary>This process has nothing to do with a read model any more: its gauges are not reported any longer.</summary>
    internal void Forget(string target) => _targets.TryRemove(target, out _);

    public void Dispose() => _meter.Dispose();

    private Counter<long> Counter(string name, string unit, string description) =>
        _meter.CreateCounter<long>($"throttled.projection.{name}", unit, description);

    private void Gauge(string name, string unit, string description, Func<TargetMetrics, long> read) => _meter.CreateObservableGauge(
        $"throttled.projection.{name}", () => _targets.Values.Select(target => new Measurement<long>(read(target), target.Tag)), unit, description);
}
