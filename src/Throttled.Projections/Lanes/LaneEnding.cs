namespace Throttled.Projections.Lanes;

/// <summary>How a lane ended.</summary>
internal enum LaneEnding
{
    /// <summary>It has not.</summary>
    None,

    /// <summary>It was told to.</summary>
    Stopped,

    /// <summary>The database is not as it knew it.</summary>
    Fenced,

    /// <summary>It goes no further; its health says why.</summary>
    Failed,
}
