namespace Throttled.Projections.Failures;

/// <summary>
/// How a batch is got through of which some events fail: ranges in order, halved until the one that fails is alone, or cut at it where it is
/// known. Pure.
/// </summary>
internal sealed class Bisection
{
    private readonly Stack<Piece> _rest = new();
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
    internal Piece? Next => _rest.TryPeek(out var piece) ? piece : null;

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
    internal FailureVerdict Failed(int? culprit, bool isFinal)
    {
        var piece = _rest.Pop();
        if (piece.Count > 1)
        {
            Split(piece, culprit);
            return FailureVerdict.Split;
        }
        Attempts++;
        if (!isFinal && Attempts < _maxAttempts)
        {
            _rest.Push(piece);
            return FailureVerdict.Again;
        }
        return GiveUp(piece);
    }

    private FailureVerdict GiveUp(Piece piece)
    {
        _rest.Push(piece with { Treatment = _policy == FailurePolicy.Skip ? Treatment.Skip : Treatment.Park });
        return _policy == FailurePolicy.Stop ? FailureVerdict.Stop : FailureVerdict.GivenUp;
    }

    private void Split(Piece piece, int? culprit)
    {
        if (culprit is not { } at || at < piece.From || at >= piece.To)
        {
            var middle = piece.From + (piece.Count / 2);
            Push(middle, piece.To);
            Push(piece.From, middle);
            return;
        }
        Push(at + 1, piece.To);
        Push(at, at + 1);
        Push(piece.From, at);
    }

    private void Push(int from, int to)
    {
        if (to > from)
            _rest.Push(new(from, to));
    }
}
