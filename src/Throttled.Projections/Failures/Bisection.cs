namespace Throttled.Projections.Failures;

/// <summary>Finds the failing events of a batch: a failing range is halved, or cut at the failing event if it is known. Pure.</summary>
internal sealed class Bisection
{
    private readonly Stack<EventRange> _rest = new();
    private readonly int _maxAttempts;
    private readonly FailurePolicy _policy;

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

    /// <summary>Records that the handler failed with the range, at <paramref name="culprit"/> if that is known.</summary>
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

/// <summary>A part of a batch that is one transaction, without the event at <c>To</c>. Only a single event has another action than to handle it.</summary>
internal readonly record struct EventRange(int From, int To, EventAction Action = EventAction.Handle)
{
    internal int Count => To - From;
}

internal enum EventAction
{
    Handle,
    Skip,
    DeadLetter,
}

internal enum FailureOutcome
{
    Split,
    Retry,

    /// <summary>The policy applies: the event is skipped or stored as a dead letter.</summary>
    Exhausted,

    Stop,
}

/// <summary>A failure of the handler. <c>Ordering</c> is null if the failing event is not known. <c>IsFinal</c>: another attempt would fail in the same way.</summary>
internal sealed record EventFailure(Exception Cause, long? Ordering, bool IsFinal);
