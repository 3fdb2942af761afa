namespace Throttled.Journal.Permits;

/// <summary>What a slot has of a permit.</summary>
internal enum PermitState
{
    /// <summary>Nothing: not requested, or given back.</summary>
    None,

    /// <summary>A place in the queue.</summary>
    Waiting,

    /// <summary>The permit.</summary>
    Held,
}
