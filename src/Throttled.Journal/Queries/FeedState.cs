namespace Throttled.Journal.Queries;

/// <summary>Where a feed is in its life.</summary>
internal enum FeedState : byte
{
    /// <summary>Nobody has demanded anything of it.</summary>
    New,

    /// <summary>It reads pages.</summary>
    CatchingUp,

    /// <summary>It is at the end of the journal and takes what the tail brings.</summary>
    Following,

    /// <summary>It has all that its range will ever hold; the reader is notified at its next demand.</summary>
    AtEnd,

    /// <summary>Its reader left, or it failed.</summary>
    Closed,
}
