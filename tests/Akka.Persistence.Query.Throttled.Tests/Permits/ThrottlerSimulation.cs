using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled.Tests.Permits;

/// <summary>Sends random messages to a throttler, and compares its grants with those of a plain list.</summary>
internal sealed class ThrottlerSimulation
{
    private readonly Random _random;
    private readonly ThrottlerKit _kit;
    private readonly List<StatementSlot> _slots = ThrottlerKit.Slots(12);
    private readonly List<StatementSlot> _queue = [];
    private readonly HashSet<StatementSlot> _granted = [];
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
        // All slots leave, and all permits are free again.
        while (_granted.Concat(_queue).FirstOrDefault() is { } slot)
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
        if (!_granted.Contains(slot) && !_queue.Contains(slot))
            _queue.Add(slot);
        _kit.Request(slot);
        Grant(limit: 1);
    }

    private void Return(StatementSlot slot)
    {
        _story.Add($"return {_slots.IndexOf(slot)}");
        var isKnown = _granted.Remove(slot) | _queue.Remove(slot);
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

    private void Grant(int limit)
    {
        for (; limit > 0 && _queue.Count > 0 && _granted.Count < _limit; limit--)
        {
            _granted.Add(_queue[0]);
            _grants.Add(_queue[0]);
            _queue.RemoveAt(0);
        }
    }

    private async Task CheckAsync()
    {
        await _kit.FenceAsync();
        Assert.Equal(_grants, _kit.Grants.Skip(_before));
        Assert.Equal((_granted.Count, _queue.Count, _limit), (_kit.Ledger.Held, _kit.Ledger.Waiting, _kit.Ledger.Limit));
    }
}
