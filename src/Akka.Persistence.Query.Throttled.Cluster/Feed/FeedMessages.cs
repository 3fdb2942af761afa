using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>A message between a lane and the feed. They cross nodes: <see cref="FeedSerializer"/> encodes them.</summary>
/// <param name="Lane">The lane's name; unique in the cluster.</param>
/// <param name="Shard">The number of the journal's shard, from 0.</param>
internal abstract record FeedMessage(string Lane, int Shard);

/// <summary>A lane asks for the events after an ordering. Repeating it is harmless.</summary>
internal sealed record FeedDemand(string Lane, int Shard) : FeedMessage(Lane, Shard)
{
    /// <summary>Grows each time the lane begins anew; the feed ignores demands of older epochs.</summary>
    internal required long Epoch { get; init; }

    /// <summary>The lane has every event of its slices up to this ordering.</summary>
    internal required long After { get; init; }

    /// <summary>The number of events that the lane has room for.</summary>
    internal required int Credit { get; init; }

    internal SliceRange Slices { get; init; } = SliceRange.All;

    /// <summary>Whether the lane reads for itself and asks to come back.</summary>
    internal bool IsReading { get; init; }
}

/// <summary>Every event of the lane's slices after an ordering, up to and including another one.</summary>
internal sealed record FeedBatch(string Lane, int Shard) : FeedMessage(Lane, Shard)
{
    /// <summary>The epoch of the demand.</summary>
    internal required long Epoch { get; init; }

    /// <summary>The lane takes the batch only if it is at this ordering.</summary>
    internal required long After { get; init; }

    /// <summary>Where the batch leaves the lane; equal to <see cref="After"/> if there is nothing new.</summary>
    internal required long Through { get; init; }

    internal IReadOnlyList<FeedEvent> Events { get; init; } = [];

    /// <summary>Whether no further batch answers the same demand.</summary>
    internal bool IsLast { get; init; } = true;

    /// <summary>Whether the feed is at the end of the journal.</summary>
    internal bool IsFollowing { get; init; }
}

/// <summary>The feed does not have the events after the lane's position. The lane reads for itself until it has caught up with the feed.</summary>
internal sealed record ReadYourself(string Lane, int Shard) : FeedMessage(Lane, Shard)
{
    internal required long Epoch { get; init; }

    internal required long After { get; init; }
}

/// <summary>The journal went back: the lane's query fails.</summary>
internal sealed record FeedRewound(string Lane, int Shard) : FeedMessage(Lane, Shard)
{
    /// <summary>The highest ordering that was read before.</summary>
    internal required long Ordering { get; init; }
}

/// <summary>A lane has ended.</summary>
internal sealed record FeedLeave(string Lane, int Shard) : FeedMessage(Lane, Shard)
{
    internal required long Epoch { get; init; }
}

/// <summary>An event of a batch.</summary>
/// <param name="Stored">The event. If it is only a reference, it has no payload.</param>
/// <param name="IsReference">Whether the event is too large for a message, so the lane reads it from the journal.</param>
internal readonly record struct FeedEvent(JournalEvent Stored, bool IsReference);
