using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Waits;

/// <summary>Waits until the lanes of some slices have handled the journal up to an ordering.</summary>
internal sealed class OffsetWait(SliceRange slices, long ordering, string? persistenceId = null)
{
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The id of the awaited event; null if no single event is awaited.</summary>
    internal string? PersistenceId => persistenceId;

    internal long Ordering => ordering;

    internal Task Done => _done.Task;

    /// <summary>Why it still waits, for the message of a time-out.</summary>
    internal string Reason { get; private set; } = "The time was over before the read model database had answered.";

    /// <summary>Whether all lanes that have some of its slices have passed the ordering. Slices outside the projection's source have no lane.</summary>
    internal bool IsReached(IReadOnlyList<LaneOffset> offsets)
    {
        // Each version has lanes. Without them it is not known how far it is.
        if (offsets.Count == 0)
        {
            Reason = "Its read model has no lanes in the tables.";
            return false;
        }
        var behind = offsets.FirstOrDefault(row => row.Offset.Slices.First <= slices.Last && row.Offset.Slices.Last >= slices.First && row.Offset.Ordering < ordering);
        Reason = behind?.Behind(ordering) ?? "";
        return behind is null;
    }

    internal void Failed(Exception error) => Reason = error is ProjectionException ? error.Message : $"The last read failed: {error.Message}";

    internal void End(ProjectionException? error)
    {
        if (error is null)
            _done.TrySetResult();
        else if (_done.TrySetException(error))
            _ = _done.Task.Exception; // Nobody may wait any more.
    }
}
