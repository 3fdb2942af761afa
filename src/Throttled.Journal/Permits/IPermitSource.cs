using Throttled.Journal.Loop;

namespace Throttled.Journal.Permits;

/// <summary>
/// Hands out the permits of one journal: <see cref="LocalPermits"/>, or an actor that owns the ledger. Called on the
/// journal's loop; a grant comes back on the loop too, at once or later, as <see cref="StatementSlot.Granted"/>.
/// </summary>
internal interface IPermitSource : IDisposable
{
    /// <summary>Enqueues a slot.</summary>
    void Request(StatementSlot slot);

    /// <summary>Gives the permit back, or leaves the queue. Harmless when done twice.</summary>
    void Return(StatementSlot slot);

    /// <summary>Changes how many permits there are, because the database turned out to take fewer, or more again.</summary>
    void SetLimit(int limit);
}

/// <summary>One statement's place: it waits for a permit, holds it while the statement runs, and returns it when that has ended.</summary>
internal sealed class StatementSlot(Action<StatementSlot> granted) : ILinked<StatementSlot>
{
    /// <summary>Where the slot stands. Changed by the ledger alone.</summary>
    internal PermitState State { get; set; }

    LinkedQueue<StatementSlot>? ILinked<StatementSlot>.Queue { get; set; }

    StatementSlot? ILinked<StatementSlot>.Previous { get; set; }

    StatementSlot? ILinked<StatementSlot>.Next { get; set; }

    /// <summary>Called by the permit source on the journal's loop, once for each request that was not taken back before.</summary>
    internal void Granted() => granted(this);
}

/// <summary>What a slot has of a permit.</summary>
internal enum PermitState
{
    /// <summary>Nothing: not requested, or given back.</summary>
    None,

    /// <summary>A place in the queue.</summary>
    Waiting,

    /// <summary>The permit.</summary>
    Held,
}
