using Throttled.Projections.Failures;

namespace Throttled.Projections.Tests.Failures;

/// <summary>A batch in which some events fail. A bisection handles it, and each outcome is checked.</summary>
internal sealed class FailingBatch
{
    private readonly Random _random;
    private readonly int _count;
    private readonly int _maxAttempts;
    private readonly FailurePolicy _policy;
    private readonly Dictionary<int, int> _bad = [];
    private readonly Dictionary<int, int> _attemptsAlone = [];
    private readonly List<int> _done = [];
    private readonly List<int> _exhausted = [];

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
        var ranges = 0;
        while (bisection.Next is { } range)
        {
            Assert.True(++ranges < 1000, "The bisection does not end.");
            Assert.Equal(_done.Count, range.From);
            if (Try(bisection, range) == FailureOutcome.Stop)
            {
                CheckStopped(range.From);
                return;
            }
        }
        CheckDone();
    }

    private FailureOutcome? Try(Bisection bisection, EventRange range)
    {
        if (range.Action != EventAction.Handle || Culprit(range) is not { } culprit)
        {
            bisection.Succeeded();
            _done.AddRange(Enumerable.Range(range.From, range.Count));
            return null;
        }
        if (range.Count == 1)
            _attemptsAlone[range.From] = _attemptsAlone.GetValueOrDefault(range.From) + 1;
        return Check(bisection, range, bisection.Failed(Named(culprit), isFinal: false));
    }

    private FailureOutcome Check(Bisection bisection, EventRange range, FailureOutcome outcome)
    {
        Assert.Equal(range.Count > 1, outcome == FailureOutcome.Split);
        if (outcome == FailureOutcome.Retry)
            Assert.Equal(_attemptsAlone[range.From], bisection.Attempts);
        if (outcome is FailureOutcome.Exhausted or FailureOutcome.Stop)
        {
            Assert.Equal(_maxAttempts, _attemptsAlone[range.From]);
            _exhausted.Add(range.From);
        }
        return outcome;
    }

    // The first event of the range that still fails; it uses up one of its failures.
    private int? Culprit(EventRange range)
    {
        for (var index = range.From; index < range.To; index++)
        {
            if (_bad.GetValueOrDefault(index) <= 0)
                continue;
            if (_bad[index] != int.MaxValue)
                _bad[index]--;
            return index;
        }
        return null;
    }

    // The event that the handler names: none, any one, or the right one.
    private int? Named(int culprit) => _random.Next(4) switch
    {
        0 => null,
        1 => _random.Next(-2, _count + 3),
        _ => culprit,
    };

    private void CheckStopped(int at)
    {
        Assert.Equal(FailurePolicy.Stop, _policy);
        Assert.Equal([at], _exhausted);
        Assert.Equal(Enumerable.Range(0, at), _done);
    }

    private void CheckDone()
    {
        Assert.Equal(Enumerable.Range(0, _count), _done);
        Assert.All(_bad.Where(bad => bad.Value == int.MaxValue), bad => Assert.Contains(bad.Key, _exhausted));
        Assert.All(_exhausted, index => Assert.Contains(index, _bad.Keys));
    }
}
