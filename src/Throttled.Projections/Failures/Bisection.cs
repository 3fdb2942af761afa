namespace Throttled.Projections.Failures;

/// <summary>
/// Finds the failing events of a batch. Ranges are tried in order. A failing range is halved until the failing event is alone, or cut at that event
/// if it is known. Pure.
/// </summary>
internal sealed class Bisection
{
    private readonly Stack<EventRange> _rest = new();
    private readonly int _maxAttempts;
    private readonly FailurePolicy _policy;

    /// <summary>
    /// For a batch of <paramref name="count"/> events; 0 for one that only moves offsets. A single event is tried <paramref name="maxAttempts"/>
    /// times, then the policy applies.
    /// </summary>
    internal Bisection(int count, int maxAttempts, FailurePolicy policy)
    {
        _maxAttempts = maxAttempts;
        _policy = policy;
        _rest.Push(new(0, count));
    }

    /// <summary>The next range to try; null at the end of the batch.</summary>
    internal EventRange? Next => _rest.TryPeek(out var range) ? range : null;

    /// <summary>How often the next event has failed, if it is alone in its range.</summary>
    internal int Attempts { get; private set; }

    internal void Succeeded()
    {
        _rest.Pop();
        Attempts = 0;
    }

    /// <summary>Records that the handler failed with the range.</summary>
    /// <param name="culprit">The index of the failing event; null if it is not known.</param>
    /// <param name="isFinal">Whether another attempt would fail in the same way.</param>
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

/// <summary>
/// A part of a batch that is one transaction. <c>To</c> is the index after its last event. An action other than <see cref="EventAction.Handle"/> is
/// only possible for a single event.
/// </summary>
internal readonly record struct EventRange(int From, int To, EventAction Action = EventAction.Handle)
{
    internal int Count => To - From;
}

/// <summary>What is done with a range of a batch.</summary>
internal enum EventAction
{
    /// <summary>The handler gets the events.</summary>
    Handle,

    /// <summary>The event is skipped.</summary>
    Skip,

    /// <summary>The event becomes a dead letter.</summary>
    DeadLetter,
}

/// <summary>What happens after a failure of the handler.</summary>
internal enum FailureOutcome
{
    /// <summary>Smaller ranges are tried at once.</summary>
    Split,

    /// <summary>The event is tried again, after a pause.</summary>
    Retry,

    /// <summary>The event is skipped or stored as a dead letter.</summary>
    Exhausted,

    /// <summary>The lane stops before the event.</summary>
    Stop,
}

/// <summary>
/// The handler failed with a range of a batch. <c>Ordering</c> is that of the failing event; null if it is not known. <c>IsFinal</c> says whether
/// another attempt would fail in the same way.
/// </summary>
internal sealed record EventFailure(Exception Cause, long? Ordering, bool IsFinal);
