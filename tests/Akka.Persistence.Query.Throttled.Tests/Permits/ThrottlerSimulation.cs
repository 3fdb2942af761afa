using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled.Tests.Permits;

/// <summary>What a throttler should grant, by the plainest list, of what it is told by chance.</summary>
internal sealed class ThrottlerSimulation
{
    private readonly Random _random;
    private readonly ThrottlerKit _kit;
    private readonly List<StatementSlot> _slots = ThrottlerKit.Slots(12);
    private readonly List<StatementSlot> _line = [];
    private readonly HashSet<StatementSlot> _held = [];
    private readonly List<StatementSlot> _grants = [];
    private readonly List<string> _story = [];
    private readonly int _before;
    private int _limit;

    internal ThrottlerSimulation(int seed, ThrottlerKit kit)
    {
        _random = new Random(seed);
        _kit = kit;
        _before = kit.Grants.Count;
        _limit = _random.Next(1, 5);
        kit.Start(_limit);
    }

    internal async Task RunAsync()
    {
        for (var step = 0; step < 100; step++)
        {
            Step();
            if (_random.Next(10) == 0)
                await CheckAsync();
        }
        // All go, and all permits are there again.
        while (_held.Concat(_line).FirstOrDefault() is { } slot)
            Return(slot);
        await CheckAsync();
        Assert.Equal((0, 0), (_kit.Ledger.Held, _kit.Ledger.Waiting));
    }

    public override string ToString() => string.Join(Environment.NewLine, _story);

    private void Step()
    {
        var slot = _slots[_random.Next(_slots.Count)];
        switch (_random.Next(20))
        {
            case < 9:
                Request(slot);
                break;
            case < 17:
                Return(slot);
                break;
            case 17:
                SetLimit(_random.Next(1, 6));
                break;
            default:
                _story.Add("restart");
                _kit.FailAndRestart();
                break;
        }
    }

    private void Request(StatementSlot slot)
    {
        _story.Add($"request {_slots.IndexOf(slot)}");
        if (!_held.Contains(slot) && !_line.Contains(slot))
            _line.Add(slot);
        _kit.Request(slot);
        Grant(most: 1);
    }

    private void Return(StatementSlot slot)
    {
        _story.Add($"return {_slots.IndexOf(slot)}");
        var isKnown = _held.Remove(slot) | _line.Remove(slot);
        _kit.Return(slot);
        Grant(isKnown ? 1 : 0);
    }

    private void SetLimit(int limit)
    {
        _story.Add($"limit {limit}");
        _limit = limit;
        _kit.SetLimit(limit);
        Grant(int.MaxValue);
    }

    private void Grant(int most)
    {
        for (; most > 0 && _line.Count > 0 && _held.Count < _limit; most--)
        {
            _held.Add(_line[0]);
            _grants.Add(_line[0]);
            _line.RemoveAt(0);
        }
    }

    private async Task CheckAsync()
    {
        await _kit.FenceAsync();
        Assert.Equal(_grants, _kit.Grants.Skip(_before));
        Assert.Equal((_held.Count, _line.Count, _limit), (_kit.Ledger.Held, _kit.Ledger.Waiting, _kit.Ledger.Limit));
    }
}
