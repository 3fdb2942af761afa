using Throttled.Projections.Failures;

namespace Throttled.Projections.Lanes;

/// <summary>Which events of a range the handler gets, and what queues behind a dead letter of its id.</summary>
internal sealed class PieceSorting
{
    private readonly ParkedIds _parked;
    private readonly List<ProjectionEvent> _handled = [];
    private readonly List<int> _indexes = [];
    private readonly List<DeadLetterRow> _queued = [];

    internal PieceSorting(ParkedIds parked, LaneBatch batch, Piece piece)
    {
        _parked = parked;
        if (piece.Treatment != Treatment.Handle)
            return;
        for (var index = piece.From; index < piece.To; index++)
            Sort(batch.Events[index], index);
    }

    internal IReadOnlyList<ProjectionEvent> Handled => _handled;

    /// <summary>The same, each with its index in the batch.</summary>
    internal IEnumerable<(int Index, ProjectionEvent Event)> HandledByIndex => _indexes.Zip(_handled);

    internal IReadOnlyList<DeadLetterRow> Queued => _queued;

    /// <summary>The first event that could not be decoded; null where all could.</summary>
    internal EventFailure? Undecodable { get; private set; }

    private void Sort(LaneEvent sorted, int index)
    {
        if (!_parked.IsEmpty && _parked.Contains(sorted.Stored.PersistenceId))
            _queued.Add(new(sorted.Stored, null, 0));
        else if (sorted.Undecodable is { } error)
            Undecodable ??= new(error, sorted.Stored.Ordering, true);
        else if (sorted.Payload is { } payload)
        {
            _handled.Add(new(sorted.Stored, payload));
            _indexes.Add(index);
        }
    }
}
