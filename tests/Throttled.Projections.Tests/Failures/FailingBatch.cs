using Throttled.Projections.Failures;

namespace Throttled.Projections.Tests.Failures;

/// <summary>A batch of which some events fail, got through by a bisection beside what must come of it.</summary>
internal sealed class FailingBatch
{
    private readonly Random _random;
    private readonly int _count;
    private readonly int _maxAttempts;
    private readonly FailurePolicy _policy;
    private readonly Dictionary<int, int> _bad = [];
    private readonly Dictionary<int, int> _alone = [];
    private readonly List<int> _done = [];
    private readonly List<int> _givenUp = [];

    internal FailingBatch(int seed)
    {
        _random = new(seed);
        _count = _random.Next(1, 40);
        _maxAttempts = _random.Next(1, 5);
        _policy = (FailurePolicy)_random.Next(3);
        for (var bad = _random.Next(6); bad > 0; bad--)
            _bad[_random.Next(_count)] = _random.Next(2) == 0 ? int.MaxValue : _random.Next(1, 2 * _maxAttempts);
    }

    public override string ToString() =>
        $"{_count} events, {_maxAttempts} attempts, {_policy}, bad: {string.Join(' ', _bad.Select(bad => $"{bad.Key}×{bad.Value}"))}";

    internal void Run()
    {
        var bisection = new Bisection(_count, _maxAttempts, _policy);
        var pieces = 0;
        while (bisection.Next is { } piece)
        {
            Assert.True(++pieces < 1000, "It does not end.");
            Assert.Equal(_done.Count, piece.From);
            if (Try(bisection, piece) == FailureVerdict.Stop)
            {
                CheckStopped(piece.From);
                return;
            }
        }
        CheckDone();
    }

    private FailureVerdict? Try(Bisection bisection, Piece piece)
    {
        if (piece.Treatment != Treatment.Handle || Culprit(piece) is not { } culprit)
        {
            bisection.Succeeded();
            _done.AddRange(Enumerable.Range(piece.From, piece.Count));
            return null;
        }
        if (piece.Count == 1)
            _alone[piece.From] = _alone.GetValueOrDefault(piece.From) + 1;
        return Check(bisection, piece, bisection.Failed(Named(culprit), isFinal: false));
    }

    private FailureVerdict Check(Bisection bisection, Piece piece, FailureVerdict verdict)
    {
        Assert.Equal(piece.Count > 1, verdict == FailureVerdict.Split);
        if (verdict == FailureVerdict.Again)
            Assert.Equal(_alone[piece.From], bisection.Attempts);
        if (verdict is FailureVerdict.GivenUp or FailureVerdict.Stop)
        {
            Assert.Equal(_maxAttempts, _alone[piece.From]);
            _givenUp.Add(piece.From);
        }
        return verdict;
    }

    // The first of the piece that still fails has failed once more.
    private int? Culprit(Piece piece)
    {
        for (var index = piece.From; index < piece.To; index++)
        {
            if (_bad.GetValueOrDefault(index) <= 0)
                continue;
            if (_bad[index] != int.MaxValue)
                _bad[index]--;
            return index;
        }
        return null;
    }

    // Nobody knows, or the handler does, or it is wrong about it.
    private int? Named(int culprit) => _random.Next(4) switch
    {
        0 => null,
        1 => _random.Next(-2, _count + 3),
        _ => culprit,
    };

    private void CheckStopped(int at)
    {
        Assert.Equal(FailurePolicy.Stop, _policy);
        Assert.Equal([at], _givenUp);
        Assert.Equal(Enumerable.Range(0, at), _done);
    }

    private void CheckDone()
    {
        Assert.Equal(Enumerable.Range(0, _count), _done);
        Assert.All(_bad.Where(bad => bad.Value == int.MaxValue), bad => Assert.Contains(bad.Key, _givenUp));
        Assert.All(_givenUp, index => Assert.Contains(index, _bad.Keys));
    }
}
