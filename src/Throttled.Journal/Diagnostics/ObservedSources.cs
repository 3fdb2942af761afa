using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Throttled.Journal.Diagnostics;

/// <summary>
/// The journals, projections or feeds of this process that the observable instruments of a meter report. They share one meter: if two equal meters had the
/// same instrument, the SDK would stop exporting it as soon as one of the meters is disposed. Observable instruments cost almost nothing without a listener.
/// Thread-safe.
/// </summary>
/// <param name="meter">The meter, which lives as long as the process.</param>
internal sealed class ObservedSources<TSource>(Meter meter)
    where TSource : class
{
    private readonly ConcurrentDictionary<TSource, bool> _sources = new();

    internal void Add(TSource source) => _sources[source] = true;

    internal void Remove(TSource source) => _sources.TryRemove(source, out _);

    internal void UpDownCounter(string name, string unit, string description, Func<TSource, IEnumerable<Measurement<long>>> read) =>
        meter.CreateObservableUpDownCounter(name, () => _sources.Keys.SelectMany(read), unit, description);

    internal void Gauge<T>(string name, string unit, string description, Func<TSource, IEnumerable<Measurement<T>>> read)
        where T : struct => meter.CreateObservableGauge(name, () => _sources.Keys.SelectMany(read), unit, description);
}
