using Microsoft.Extensions.Logging;

namespace Akka.Persistence.Query.Throttled.Cluster.Diagnostics;

/// <summary>The log messages of the budget.</summary>
internal static partial class BudgetLog
{
    [LoggerMessage(201, LogLevel.Information, "Journal '{Journal}': this node's share of the cluster's budget is now {Share}; the budget is {Budget}. {Reason}")]
    internal static partial void ShareChanged(this ILogger log, string journal, string share, string budget, string reason);

    [LoggerMessage(202, LogLevel.Error,
        "Journal '{Journal}': {Setting}, but {Nodes} nodes share it. Each node uses at least 1, so together they may exceed it. "
        + "Set it to at least {Nodes}, or run fewer nodes.")]
    internal static partial void BudgetExceeded(this ILogger log, string journal, string setting, int nodes);

    [LoggerMessage(203, LogLevel.Warning,
        "Journal '{Journal}': these nodes have not confirmed for {Seconds:0} s that they count this node: {Nodes}. This node takes its share now. "
        + "Open the read journal on every node of the role at the start, with the same settings in 'cluster'.")]
    internal static partial void NotConfirmed(this ILogger log, string journal, double seconds, string nodes);
}
