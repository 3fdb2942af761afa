namespace Throttled.Projections.Failures;

/// <summary>
/// How a batch is got through of which some events fail: ranges in order, halved until the one that fails is alone, or cut at it where it is
/// known. Pure.
/// </summary>
internal sealed class Bisection
{
    private readonly Stack<EventRange> _rest = new();
    private readonly int _maxAttempts;
    private readonly FailurePolicy _policy;

    /// <param name="count">Events in the batch; 0 for one that only moves offsets.</param>
    /// <param name="maxAttempts">How often a single event is tried.</param>
    /// <param name="policy">What becomes of it then.</param>
    internal Bisection(int count, int maxAttempts, FailurePolicy policy)
    {
        _maxAttempts = maxAttempts;
        _policy = policy;
        _rest.Push(new(0, count));
    }

    /// <summary>What is to be tried now; null at the end of the batch.</summary>
    internal EventRange? Next => _rest.TryPeek(out var range) ? range : null;

    /// <summary>How often the single event that is next has failed.</summary>
    internal int Attempts { get; private set; }

    /// <summary>The range is committed.</summary>
    internal void Succeeded()
    {
        _rest.Pop();
        Attempts = 0;
    }

    /// <summary>The handler failed with the range.</summary>
    /// <param name="culprit">The index of the event that fails; null where that is not known.</param>
    /// <param name="isFinal">Whether trying again would be the same.</param>
    internal FailureOutcome Failed(int? culprit, bool isFinal)
    {
        var range = _rest.Pop();
        if (range.Count > 1)
        {
            Split(range, culprit);
            return FailureOutcome.Split;
        }
        Attempts++;
        if (!isFinal && Attempts < _maxAttempts)
        {
            _rest.Push(range);
            return FailureOutcome.Retry;
        }
        return ApplyPolicy(range);
    }

    private FailureOutcome ApplyPolicy(EventRange range)
    {
        _rest.Push(range with { Action = _policy == FailurePolicy.Skip ? EventAction.Skip : EventAction.DeadLetter });
        return _policy == FailurePolicy.Stop ? FailureOutcome.Stop : FailureOutcome.Exhausted;
    }

    private void Split(EventRange range, int? culprit)
    {
        if (culprit is not { } at || at < range.From || at >= range.To)
        {
            var middle = range.From + (range.Count / 2);
            Push(middle, range.To);
            Push(range.From, middle);
            return;
        }
        Push(at + 1, range.To);
        Push(at, at + 1);
        Push(range.From, at);
    }

    private void Push(int from, int to)
    {
        if (to > from)
            _rest.Push(new(from, to));
    }
}

/// <summary>A part of a batch that is one transaction.</summary>
/// <param name="From">Its first event's index.</param>
/// <param name="To">The index behind its last event.</param>
/// <param name="Action">What is done with it; other than <see cref="EventAction.Handle"/> only where it is one event.</param>
internal readonly record struct EventRange(int From, int To, EventAction Action = EventAction.Handle)
{
    internal int Count => To - From;
}

/// <summary>What is done with a range of a batch.</summary>
internal enum EventAction
{
    /// <summary>The handler gets it.</summary>
    Handle,

    /// <summary>It is passed over.</summary>
    Skip,

    /// <summary>It becomes a dead letter.</summary>
    DeadLetter,
}

/// <summary>What follows from a failure of the handler.</summary>
internal enum FailureOutcome
{
    /// <summary>Smaller pieces are tried, at once.</summary>
    Split,

    /// <summary>The event is tried again, after a pause.</summary>
    Retry,

    /// <summary>The event is skipped or stored as a dead letter.</summary>
    Exhausted,

    /// <summary>The lane stops before the event.</summary>
    Stop,
}

/// <summary>The handler failed with a range of a batch.</summary>
/// <param name="Cause">With what.</param>
/// <param name="Ordering">At which event; null where that is not known.</param>
/// <param name="IsFinal">Whether trying again would be the same.</param>
internal sealed record EventFailure(Exception Cause, long? Ordering, bool IsFinal);
