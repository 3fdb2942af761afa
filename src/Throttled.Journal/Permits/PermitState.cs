namespace Throttled.Journal.Permits;

/// <summary>What a slot has of a permit.</summary>
internal enum PermitState
{
    /// <summary>Nothing: not asked for, or given back.</summary>
    None,

    /// <summary>A place in line.</summary>
    Waiting,

    /// <summary>The permit.</summary>
    Held,
}
