namespace Throttled.Projections.Handlers;

/// <summary>The row of one persistence id while a batch is handled.</summary>
internal sealed class EntityRow<TState>(string persistenceId)
    where TState : class
{
    internal string PersistenceId => persistenceId;

    internal long SequenceNumber { get; private set; }

    internal TState? State { get; private set; }

    /// <summary>The ordering of the entity's first event of the batch, and then of the last one that was applied.</summary>
    internal long Ordering { get; set; }

    internal string? Json { get; set; }

    /// <summary>Whether the row of the table must be written or deleted.</summary>
    internal bool IsChanged { get; private set; }

    internal void Fill(long sequenceNumber, TState state) => (SequenceNumber, State) = (sequenceNumber, state);

    internal EntityChange Apply(ProjectionEvent handled, Func<TState?, ProjectionEvent, TState?> apply)
    {
        if (handled.SequenceNumber <= SequenceNumber)
            return EntityChange.AppliedBefore;
        var before = State;
        State = Named(handled, apply);
        (SequenceNumber, Ordering) = (handled.SequenceNumber, handled.Ordering);
        if (before is null && State is null)
            return EntityChange.Nothing;
        IsChanged = true;
        return EntityChange.Applied;
    }

    private TState? Named(ProjectionEvent handled, Func<TState?, ProjectionEvent, TState?> apply)
    {
        try
        {
            return apply(State, handled);
        }
        catch (Exception error) when (error is not EventFailedException)
        {
            throw new EventFailedException(handled.Ordering, error);
        }
    }
}

internal enum EntityChange
{
    Applied,

    /// <summary>An earlier batch has applied the event.</summary>
    AppliedBefore,

    /// <summary>There was no state before the event, and there is none after it.</summary>
    Nothing,
}
