namespace Throttled.Projections.Store;

/// <summary>What became of a command. Stored by name.</summary>
internal enum CommandState
{
    Waiting,
    Done,
    Refused,
}
