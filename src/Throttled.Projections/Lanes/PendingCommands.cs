using Throttled.Projections.Tables;

namespace Throttled.Projections.Lanes;

/// <summary>
/// The commands that wait for a lane, in the order in which they are executed. Each reading of the tables replaces the list, so a command that was
/// withdrawn is no longer in it, and an urgent one comes first. Thread-safe.
/// </summary>
internal sealed class PendingCommands
{
    private readonly Lock _lock = new();
    private readonly HashSet<long> _over = [];
    private IReadOnlyList<CommandRow> _waiting = [];
    private bool _isQueued;

    /// <summary>The command that is executed next; null for none.</summary>
    internal CommandRow? Next
    {
        get
        {
            lock (_lock)
                return _waiting.FirstOrDefault(IsOpen);
        }
    }

    /// <summary>Returns true if the lane must be told that there are commands.</summary>
    internal bool Replace(IReadOnlyList<CommandRow> waiting)
    {
        lock (_lock)
        {
            // Later lists are newer: a command that has left them does not come back.
            _over.IntersectWith(waiting.Select(command => command.Id));
            _waiting = waiting;
            return !_isQueued && (_isQueued = waiting.Any(IsOpen));
        }
    }

    /// <summary>The command has ended, or this run of the lane does not try it again. A list that was read before may still contain it.</summary>
    internal void Over(CommandRow command)
    {
        lock (_lock)
            _over.Add(command.Id);
    }

    /// <summary>Returns true if more commands wait, after the lane has executed one.</summary>
    internal bool HasMore()
    {
        lock (_lock)
            return _isQueued = _waiting.Any(IsOpen);
    }

    private bool IsOpen(CommandRow command) => !_over.Contains(command.Id);
}
