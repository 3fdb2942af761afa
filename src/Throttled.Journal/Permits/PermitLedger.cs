using Throttled.Journal.Loop;

namespace Throttled.Journal.Permits;

/// <summary>
/// Which statements hold a permit and which wait for one, first come first served: a counting semaphore with a token bucket (RFC 2697 describes the
/// bucket). Not thread-safe. The caller provides the time.
/// </summary>
internal sealed class PermitLedger
{
    private readonly LinkedQueue<StatementSlot> _queue = new();
    private readonly PermitCeiling.CeilingUse? _ceiling;
    private int _burst;
    private int _tokens;

    /// <param name="limit">The number of permits; at least 1.</param>
    /// <param name="burst">The capacity of the bucket, which is full at first; 0 for no bucket.</param>
    /// <param name="ceiling">A second limit, from outside; null for none.</param>
    internal PermitLedger(int limit, int burst = 0, PermitCeiling.CeilingUse? ceiling = null)
    {
        Limit = limit;
        _ceiling = ceiling;
        _burst = burst;
        _tokens = burst;
    }

    internal static PermitLedger Of(JournalOptions options, PermitCeiling? ceiling = null) =>
        new(options.MaxConcurrentQueries, options.MaxQueriesPerSecond > 0 ? options.Burst : 0, ceiling?.Open());

    internal int Limit { get; private set; }

    internal int Held { get; private set; }

    internal int Waiting => _queue.Count;

    /// <summary>Whether a slot waits only for a token, not for a permit.</summary>
    internal bool WantsToken => _queue.Count > 0 && Held < Limit;

    /// <returns>The slot if it was granted at once. Null if it waits, or if it was already waiting or held a permit.</returns>
    internal StatementSlot? Request(StatementSlot slot)
    {
        if (slot.State != PermitState.None)
            return null;
        slot.State = PermitState.Waiting;
        _queue.Enqueue(slot);
        return GrantNext();
    }

    /// <summary>Returns a permit, or removes the slot from the queue. A second call does nothing.</summary>
    /// <returns>The next slot in the queue, now granted; null if none can be granted.</returns>
    internal StatementSlot? Return(StatementSlot slot)
    {
        if (slot.State == PermitState.None)
            return null;
        if (!_queue.Remove(slot))
        {
            Held--;
            _ceiling?.Return();
        }
        slot.State = PermitState.None;
        return GrantNext();
    }

    /// <summary>Adds a token to the bucket. If the bucket is full, the token is lost.</summary>
    /// <returns>The next slot in the queue, now granted; null if none can be granted.</returns>
    internal StatementSlot? AddToken()
    {
        _tokens = Math.Min(_burst, _tokens + 1);
        return GrantNext();
    }

    /// <summary>Sets the number of permits. Permits above a lower limit are not revoked; after their return they are not granted again.</summary>
    /// <returns>The next slot in the queue, now granted; call again with the same limit until it is null.</returns>
    internal StatementSlot? SetLimit(int limit)
    {
        Limit = limit;
        return GrantNext();
    }

    /// <summary>Sets the capacity of the bucket; 0 for no bucket. A bucket that is new is full.</summary>
    /// <returns>The next slot in the queue, now granted; null if none can be granted.</returns>
    internal StatementSlot? SetBurst(int burst)
    {
        _tokens = _burst == 0 ? burst : Math.Min(_tokens, burst);
        _burst = burst;
        return GrantNext();
    }

    private StatementSlot? GrantNext()
    {
        if (!WantsToken || (_burst > 0 && _tokens == 0) || _ceiling?.TryTake() == false)
            return null;
        var slot = _queue.TakeFirst()!;
        slot.State = PermitState.Held;
        Held++;
        if (_burst > 0)
            _tokens--;
        return slot;
    }
}
