namespace Throttled.Projections.Store;

/// <summary>What a command is about. Stored by name.</summary>
internal enum CommandVerb
{
    Reset,
    Rebuild,
    Swap,
    Drop,
    Retry,
    Discard,
}
