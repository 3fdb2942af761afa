using System.Diagnostics.Metrics;
using Throttled.Journal.Diagnostics;

namespace Akka.Persistence.Query.Throttled.Cluster.Diagnostics;

/// <summary>The metrics of one journal's budget; <c>docs/operating/metrics.md</c> lists their names. Thread-safe.</summary>
internal sealed class BudgetMetrics : IDisposable
{
    private static readonly ObservedSources<BudgetMetrics> All = Instruments();

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

    private static ObservedSources<BudgetMetrics> Instruments()
    {
        var all = new ObservedSources<BudgetMetrics>(ClusterMeter.Meter);
        all.UpDownCounter("throttled.cluster.budget.permit.limit", "{permit}", "Statements that this node may run at once", budget => [new(Interlocked.Read(ref budget._permits), budget._tags)]);
        all.Gauge<long>("throttled.cluster.budget.nodes", "{node}", "Nodes among which the budget is divided", budget => [new(Interlocked.Read(ref budget._nodes), budget._tags)]);
        return all;
    }
}

internal static class ClusterMeter
{
    internal static Meter Meter { get; } = new(ClusterLog.Category, InstrumentationVersion.Of(typeof(ClusterMeter)));
}
