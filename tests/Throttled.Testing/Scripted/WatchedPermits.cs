using Throttled.Journal.Database;
using Throttled.Journal.Permits;

namespace Throttled.Testing.Scripted;

/// <summary>A permit source that counts permits itself, and throws if a rule is broken.</summary>
internal sealed class WatchedPermits(JournalContext context) : IPermitSource
{
    private readonly LocalPermits _permits = new(context.Loop, context.Options);
    private readonly HashSet<StatementSlot> _held = [];
    private readonly Queue<StatementSlot> _line = [];
    private int _limit = context.Options.MaxConcurrentQueries;

    internal JournalContext Context => context;

    internal int Held => _held.Count;

    internal int Limit => _limit;

    /// <summary>Slots that wait for a permit or a token.</summary>
    internal int Waiting => _line.Count;

    internal int Granted { get; private set; }

    public void Request(StatementSlot slot)
    {
        StatementSlot? inner = null;
        inner = new(_ => Grant(slot, inner!));
        slot.State = PermitState.Waiting;
        _line.Enqueue(slot);
        _permits.Request(inner);
    }

    public void Return(StatementSlot slot)
    {
        if (!_held.Remove(slot))
            throw new InvalidOperationException("A permit was returned that was not held.");
        _inner.Remove(slot, out var inner);
        _permits.Return(inner!);
    }

    public void SetLimit(int limit)
    {
        _limit = limit;
        _permits.SetLimit(limit);
    }

    public void SetRate(int perSecond, int burst) => _permits.SetRate(perSecond, burst);

    public void Dispose() => _permits.Dispose();

    private readonly Dictionary<StatementSlot, StatementSlot> _inner = [];

    private void Grant(StatementSlot slot, StatementSlot inner)
    {
        if (!_held.Add(slot) || _held.Count > _limit)
            throw new InvalidOperationException("A permit too many was granted.");
        if (_line.Dequeue() != slot)
            throw new InvalidOperationException("A permit was granted out of turn.");
        Granted++;
        _inner.Add(slot, inner);
        slot.Granted();
    }
}
