namespace Throttled.Projections;

/// <summary>What a read model is to its projection.</summary>
// Stored by name.
public enum TargetRole
{
    /// <summary>The one that is read.</summary>
    Live = 0,

    /// <summary>Being rebuilt beside the live one.</summary>
    Building = 1,

    /// <summary>Was live, and is not written any more.</summary>
    Retired = 2,
}
