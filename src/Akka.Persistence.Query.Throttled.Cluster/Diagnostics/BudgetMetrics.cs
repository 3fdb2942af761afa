using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Throttled.Journal.Diagnostics;

namespace Akka.Persistence.Query.Throttled.Cluster.Diagnostics;

/// <summary>The metrics of one journal's budget; <c>docs/operating/metrics.md</c> lists their names. Thread-safe.</summary>
internal sealed class BudgetMetrics : IDisposable
{
    private static readonly ClusterInstruments<BudgetMetrics> All = Instruments();

    private readonly KeyValuePair<string, object?>[] _tags;
    private long _permits;
    private long _nodes;

    internal BudgetMetrics(string journal)
    {
        _tags = [new("throttled.journal.name", journal)];
        All.Add(this);
    }

    internal void Set(int permits, int nodes)
    {
        Interlocked.Exchange(ref _permits, permits);
        Interlocked.Exchange(ref _nodes, nodes);
    }

    public void Dispose() => All.Remove(this);

    private static ClusterInstruments<BudgetMetrics> Instruments()
    {
        var all = new ClusterInstruments<BudgetMetrics>(budget => budget._tags);
        all.UpDownCounter("throttled.cluster.budget.permit.limit", "{permit}", "Statements that this node may run at once", budget => Interlocked.Read(ref budget._permits));
        all.Gauge<long>("throttled.cluster.budget.nodes", "{node}", "Nodes among which the budget is divided", budget => Interlocked.Read(ref budget._nodes));
        return all;
    }
}

/// <summary>The observable instruments of all budgets, or all feeds, of this process. They share one meter, like those of the journals.</summary>
/// <param name="tagsOf">Returns the attributes of a budget or feed.</param>
internal sealed class ClusterInstruments<TSource>(Func<TSource, KeyValuePair<string, object?>[]> tagsOf)
    where TSource : class
{
    private readonly ConcurrentDictionary<TSource, bool> _sources = new();

    internal void Add(TSource source) => _sources[source] = true;

    internal void Remove(TSource source) => _sources.TryRemove(source, out _);

    internal void UpDownCounter(string name, string unit, string description, Func<TSource, long> read) =>
        ClusterMeter.Meter.CreateObservableUpDownCounter(name, () => Each(source => new Measurement<long>(read(source), tagsOf(source))), unit, description);

    internal void Gauge<T>(string name, string unit, string description, Func<TSource, T> read)
        where T : struct => ClusterMeter.Meter.CreateObservableGauge(name, () => Each(source => new Measurement<T>(read(source), tagsOf(source))), unit, description);

    internal IEnumerable<Measurement<T>> Each<T>(Func<TSource, Measurement<T>> read)
        where T : struct => _sources.Keys.Select(read);
}

internal static class ClusterMeter
{
    internal static Meter Meter { get; } = new(ClusterLog.Category, InstrumentationVersion.Of(typeof(ClusterMeter)));
}
