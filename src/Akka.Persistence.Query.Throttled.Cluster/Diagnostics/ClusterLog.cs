using Microsoft.Extensions.Logging;

namespace Akka.Persistence.Query.Throttled.Cluster.Diagnostics;

/// <summary>The log messages of the budget, the daemons and the feed.</summary>
internal static partial class ClusterLog
{
    /// <summary>The name of the log and of the meter.</summary>
    internal const string Category = "Throttled.Cluster";

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

    [LoggerMessage(204, LogLevel.Warning,
        "Projection {Name}: daemon {Daemon} has stopped, but its lanes were not released within {Seconds:0} s. They are released when their batches end; until then, other nodes wait for them.")]
    internal static partial void DrainTimedOut(this ILogger log, string name, int daemon, double seconds);

    [LoggerMessage(205, LogLevel.Error, "Projection {Name}: has ended on this node, and its daemons start it again after a pause. {Reason}")]
    internal static partial void ProjectionEnded(this ILogger log, string name, string reason, Exception error);

    [LoggerMessage(206, LogLevel.Information, "Feed '{Feed}': this node reads {Source} for the whole cluster now.")]
    internal static partial void FeedStarted(this ILogger log, string feed, string source);

    [LoggerMessage(207, LogLevel.Warning,
        "Feed '{Feed}': the feed has not answered for {Seconds:0} s. {Lanes} lanes of this node read the journal for themselves, and come back when it answers. "
        + "Check that a node with the feed's role is Up and reachable.")]
    internal static partial void FeedSilent(this ILogger log, string feed, double seconds, int lanes);

    [LoggerMessage(208, LogLevel.Warning,
        "Feed '{Feed}': the node that reads for the cluster cannot read the journal ({Reason}). The lanes read for themselves, and the feed tries again. "
        + "Correct what the reason says.")]
    internal static partial void FeedUnreadable(this ILogger log, string feed, string reason, Exception? error);
}
