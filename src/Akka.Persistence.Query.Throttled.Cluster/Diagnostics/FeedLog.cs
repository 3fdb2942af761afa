using Microsoft.Extensions.Logging;

namespace Akka.Persistence.Query.Throttled.Cluster.Diagnostics;

/// <summary>The log messages of the feed.</summary>
internal static partial class FeedLog
{
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
