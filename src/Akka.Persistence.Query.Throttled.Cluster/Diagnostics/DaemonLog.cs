using Microsoft.Extensions.Logging;

namespace Akka.Persistence.Query.Throttled.Cluster.Diagnostics;

internal static partial class DaemonLog
{
    internal const string Category = "Throttled.Cluster";

    [LoggerMessage(204, LogLevel.Warning,
        "Projection {Name}: daemon {Daemon} has stopped, but its lanes were not released within {Seconds:0} s. They are released when their batches end; until then, other nodes wait for them.")]
    internal static partial void DrainTimedOut(this ILogger log, string name, int daemon, double seconds);

    [LoggerMessage(205, LogLevel.Error, "Projection {Name}: has ended on this node, and its daemons start it again after a pause. {Reason}")]
    internal static partial void ProjectionEnded(this ILogger log, string name, string reason, Exception error);
}
