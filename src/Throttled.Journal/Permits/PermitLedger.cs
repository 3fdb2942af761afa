using Throttled.Journal.Loop;

namespace Throttled.Journal.Permits;

/// <summary>
/// Which statements hold a permit and which wait for one, first come first served. A counting semaphore with a token
/// bucket beside it (RFC 2697 has the bucket's form). No clock, no threads; its shell brings both.
/// </summary>
internal sealed class PermitLedger
{
    private readonly LinkedQueue<StatementSlot> _queue = new();
    private readonly int _burst;
    private int _tokens;

    /// <param name="limit">How many permits there are; at least 1.</param>
    /// <param name="burst">How many tokens the bucket holds, full at first; 0 for no bucket.</param>
    internal PermitLedger(int limit, int burst = 0)
    {
        Limit = limit;
        _burst = burst;
        _tokens = burst;
    }

    /// <summary>The permits and tokens that a journal's options allow.</summary>
    internal static PermitLedger Of(JournalOptions options) =>
        new(options.MaxConcurrentQueries, options.MaxQueriesPerSecond > 0 ? options.Burst : 0);

    internal int Limit { get; private set; }

    internal int Held { get; private set; }

    internal int Waiting => _queue.Count;

    /// <summary>Whether somebody waits for a token alone, not for a permit.</summary>
    internal bool WantsToken => _queue.Count > 0 && Held < Limit;

    /// <returns>The slot, where it was granted at once; otherwise null, and it waits in the queue. A slot that holds or waits already is left as it is.</returns>
    internal StatementSlot? Request(StatementSlot slot)
    {
        if (slot.State != PermitState.None)
            return null;
        slot.State = PermitState.Waiting;
        _queue.Enqueue(slot);
        return GrantNext();
    }

    /// <summary>Gives a permit back, or leaves the queue. Harmless when done twice.</summary>
    /// <returns>The next slot in the queue, now granted; null where nobody may have one.</returns>
    internal StatementSlot? Return(StatementSlot slot)
    {
        if (slot.State == PermitState.None)
            return null;
        if (!_queue.Remove(slot))
            Held--;
        slot.State = PermitState.None;
        return GrantNext();
    }

    /// <summary>Puts a token into the bucket; one too many spills.</summary>
    /// <returns>The next slot in the queue, now granted; null where nobody may have one.</returns>
    internal StatementSlot? AddToken()
    {
        _tokens = Math.Min(_burst, _tokens + 1);
        return GrantNext();
    }

    /// <summary>
    /// Changes how many permits there are. Those above a lower limit are not called back: they are not granted again when
    /// they return.
    /// </summary>
    /// <returns>The next slot in the queue, now granted; call again with the same limit until it is null.</returns>
    internal StatementSlot? SetLimit(int limit)
    {
        Limit = limit;
        return GrantNext();
    }

    private StatementSlot? GrantNext()
    {
        if (!WantsToken || (_burst > 0 && _tokens == 0))
            return null;
        var slot = _queue.TakeFirst()!;
        slot.State = PermitState.Held;
        Held++;
        if (_burst > 0)
            _tokens--;
        return slot;
    }
}
