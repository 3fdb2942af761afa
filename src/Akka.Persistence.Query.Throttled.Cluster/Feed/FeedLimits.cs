namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>The limits of a feed.</summary>
internal sealed record FeedLimits
{
    /// <summary>Recent events that the feed keeps for lanes that are a little behind.</summary>
    internal int WindowEvents { get; init; } = 10_000;

    internal long WindowBytes { get; init; } = 16 * 1024 * 1024;

    /// <summary>Bytes of events in one message.</summary>
    internal int FrameBytes { get; init; } = 100_000;

    /// <summary>Messages that answer one demand at most.</summary>
    internal int FramesPerDemand { get; init; } = 8;

    /// <summary>In orderings. A lane that is further ahead than this reads for itself, until the feed has come near.</summary>
    internal long Lead { get; init; } = 10_000;

    /// <summary>How long a new feed collects demands before it decides where to begin. Above the time after which lanes repeat their demands.</summary>
    internal TimeSpan CollectTime { get; init; } = TimeSpan.FromMilliseconds(1500);

    /// <summary>A lane that is silent for this long is forgotten. Its next demand is welcome.</summary>
    internal TimeSpan LaneTimeout { get; init; } = TimeSpan.FromSeconds(60);
}

/// <summary>The limits of a lane.</summary>
internal sealed record FeedLaneLimits
{
    /// <summary>Events that a lane keeps for its reader.</summary>
    internal int Credit { get; init; } = 2000;

    /// <summary>A demand that is not answered is repeated after this time.</summary>
    internal TimeSpan Retry { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>If the feed is silent for this long, the lane reads for itself.</summary>
    internal TimeSpan FeedTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>How often a lane that reads for itself asks whether it has caught up with the feed.</summary>
    internal TimeSpan AskInterval { get; init; } = TimeSpan.FromSeconds(1);
}
