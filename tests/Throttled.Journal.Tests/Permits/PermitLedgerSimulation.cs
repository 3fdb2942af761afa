using Throttled.Journal.Permits;

namespace Throttled.Journal.Tests.Permits;

/// <summary>Compares a ledger with a plain list, under random requests, returns, limits and tokens.</summary>
internal sealed class PermitLedgerSimulation
{
    private readonly Random _random;
    private readonly PermitLedger _ledger;
    private readonly int _burst;
    private readonly List<StatementSlot> _slots;
    private readonly List<StatementSlot> _line = [];
    private readonly HashSet<StatementSlot> _held = [];
    private readonly List<string> _story = [];
    private int _limit;
    private int _tokens;

    internal PermitLedgerSimulation(int seed)
    {
        _random = new Random(seed);
        _limit = _random.Next(1, 5);
        _tokens = _burst = _random.Next(2) == 0 ? 0 : _random.Next(1, 4);
        _ledger = new(_limit, _burst);
        _slots = [.. Enumerable.Range(0, 12).Select(_ => new StatementSlot(_ => { }))];
    }

    internal void Run()
    {
        for (var step = 0; step < 200; step++)
        {
            Step();
            Check();
        }
        foreach (var slot in _slots)
            Return(slot);
        while (_line.Count > 0)
            AddToken();
        Check();
    }

    public override string ToString() => string.Join(Environment.NewLine, _story);

    private void Step()
    {
        var slot = _slots[_random.Next(_slots.Count)];
        switch (_random.Next(10))
        {
            case < 4:
                Request(slot);
                break;
            case < 8:
                Return(slot);
                break;
            case 8:
                SetLimit(_random.Next(1, 6));
                break;
            default:
                AddToken();
                break;
        }
    }

    private void Request(StatementSlot slot)
    {
        var isNew = !_held.Contains(slot) && !_line.Contains(slot);
        if (isNew)
            _line.Add(slot);
        Expect($"request {_slots.IndexOf(slot)}", isNew ? Next() : null, _ledger.Request(slot));
    }

    private void Return(StatementSlot slot)
    {
        var isKnown = _held.Remove(slot) | _line.Remove(slot);
        Expect($"return {_slots.IndexOf(slot)}", isKnown ? Next() : null, _ledger.Return(slot));
    }

    private void AddToken()
    {
        if (_burst == 0)
            return;
        _tokens = Math.Min(_burst, _tokens + 1);
        Expect("token", Next(), _ledger.AddToken());
    }

    private void SetLimit(int limit)
    {
        _limit = limit;
        StatementSlot? next;
        do
        {
            next = Next();
            Expect($"limit {limit}", next, _ledger.SetLimit(limit));
        }
        while (next is not null);
    }

    private StatementSlot? Next()
    {
        if (_line.Count == 0 || _held.Count >= _limit || (_burst > 0 && _tokens == 0))
            return null;
        var first = _line[0];
        _line.RemoveAt(0);
        Assert.True(_held.Add(first));
        _tokens -= _burst > 0 ? 1 : 0;
        return first;
    }

    private void Expect(string what, StatementSlot? expected, StatementSlot? granted)
    {
        _story.Add($"{what}: {(granted is null ? "-" : _slots.IndexOf(granted))}");
        Assert.Same(expected, granted);
    }

    private void Check()
    {
        Assert.Equal((_held.Count, _line.Count, _limit), (_ledger.Held, _ledger.Waiting, _ledger.Limit));
        foreach (var slot in _slots)
            Assert.Equal(StateOf(slot), slot.State);
    }

    private PermitState StateOf(StatementSlot slot) =>
        _held.Contains(slot) ? PermitState.Held : _line.Contains(slot) ? PermitState.Waiting : PermitState.None;
}
