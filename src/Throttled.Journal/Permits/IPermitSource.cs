using Throttled.Journal.Loop;

namespace Throttled.Journal.Permits;

/// <summary>
/// Grants the permits of one journal: <see cref="LocalPermits"/>, or an actor that owns the ledger. Called on the journal's loop. Grants also come on
/// the loop, at once or later, through <see cref="StatementSlot.Granted"/>.
/// </summary>
internal interface IPermitSource : IDisposable
{
    void Request(StatementSlot slot);

    /// <summary>Returns the permit, or removes the slot from the queue. A second call does nothing.</summary>
    void Return(StatementSlot slot);

    /// <summary>Sets the number of permits, because the database allows fewer, or more again.</summary>
    void SetLimit(int limit);

    /// <summary>Sets how many statements may start per second, and at once after a pause; 0 for no limit.</summary>
    void SetRate(int perSecond, int burst);
}

/// <summary>One statement's use of a permit: it waits for the permit, holds it while the statement runs, and returns it after the end.</summary>
internal sealed class StatementSlot(Action<StatementSlot> granted) : ILinked<StatementSlot>
{
    /// <summary>Changed by the ledger only.</summary>
    internal PermitState State { get; set; }

    LinkedQueue<StatementSlot>? ILinked<StatementSlot>.Queue { get; set; }

    StatementSlot? ILinked<StatementSlot>.Previous { get; set; }

    StatementSlot? ILinked<StatementSlot>.Next { get; set; }

    /// <summary>Called by the permit source on the journal's loop, once for each request that was not returned before.</summary>
    internal void Granted() => granted(this);
}

internal enum PermitState
{
    /// <summary>Not requested, or returned.</summary>
    None,

    /// <summary>In the queue.</summary>
    Waiting,

    /// <summary>The slot holds a permit.</summary>
    Held,
}
