using System.Diagnostics.Metrics;

namespace Akka.Persistence.Query.Throttled.Cluster.Diagnostics;

/// <summary>The metrics of one journal's budget; <c>docs/operating/metrics.md</c> lists their names.</summary>
internal sealed class BudgetMetrics : IDisposable
{
    private readonly Meter _meter;
    private long _permits;
    private long _nodes;

    internal BudgetMetrics(string journal)
    {
        _meter = new(new MeterOptions(ClusterLog.Category) { Tags = [new("throttled.journal.name", journal)] });
        _meter.CreateObservableGauge("throttled.cluster.budget.permits", () => Interlocked.Read(ref _permits), "{permit}", "Statements that this node may run at once");
        _meter.CreateObservableGauge("throttled.cluster.budget.nodes", () => Interlocked.Read(ref _nodes), "{node}", "Nodes among which the budget is divided");
    }

    internal void Set(int permits, int nodes)
    {
        Interlocked.Exchange(ref _permits, permits);
        Interlocked.Exchange(ref _nodes, nodes);
    }

    public void Dispose() => _meter.Dispose();
}
