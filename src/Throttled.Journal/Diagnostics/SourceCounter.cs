using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Throttled.Journal.Diagnostics;

/// <summary>
/// A counter that is exported as 0 from the time that its source exists: Prometheus sees no increase if a series begins with 1. A series stays when its
/// source is closed, so it never decreases if the source is opened again. Thread-safe.
/// </summary>
internal sealed class SourceCounter
{
    private readonly ConcurrentDictionary<string, Total> _series = new(StringComparer.Ordinal);

    internal SourceCounter(Meter meter, string name, string unit, string description) =>
        meter.CreateObservableCounter(name, () => _series.Values.Select(each => new Measurement<long>(each.Value, each.Tags)), unit, description);

    /// <summary>The series with these attributes. Sources with the same attributes share it.</summary>
    internal Total Of(KeyValuePair<string, object?>[] tags)
    {
        var series = _series.GetOrAdd(string.Join(',', tags), static (_, given) => new(given), tags);
        series.Tags = tags;
        return series;
    }
}

/// <summary>The value of one series of a counter. Thread-safe.</summary>
internal sealed class Total(KeyValuePair<string, object?>[] tags)
{
    private long _value;

    internal KeyValuePair<string, object?>[] Tags { get; set; } = tags;

    internal long Value => Interlocked.Read(ref _value);

    internal void Add(long count) => Interlocked.Add(ref _value, count);
}
