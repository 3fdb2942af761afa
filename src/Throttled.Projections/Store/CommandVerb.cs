namespace Throttled.Projections.Store;

/// <summary>What a command is about. Stored by name.</summary>
internal enum CommandVerb
{
    Reset,
    Rebuild,
    Swap,

    /// <summary>As <see cref="Swap"/>, whatever the rebuild has lost.</summary>
    ForcedSwap,

    Drop,

    /// <summary>Divides the slices among another number of lanes.</summary>
    SetLanes,

    Retry,
    Discard,
}
