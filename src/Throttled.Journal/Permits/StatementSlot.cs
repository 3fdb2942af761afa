using Throttled.Journal.Lines;

namespace Throttled.Journal.Permits;

/// <summary>One statement's place: it waits for a permit, holds it while the statement runs, and returns it when that has ended.</summary>
internal sealed class StatementSlot(Action<StatementSlot> granted) : ILineMember<StatementSlot>
{
    /// <summary>Where the slot stands. Changed by the ledger alone.</summary>
    internal PermitState State { get; set; }

    Line<StatementSlot>? ILineMember<StatementSlot>.Line { get; set; }

    StatementSlot? ILineMember<StatementSlot>.Before { get; set; }

    StatementSlot? ILineMember<StatementSlot>.Behind { get; set; }

    /// <summary>Called by the permit source on the journal's loop, once for each request that was not taken back before.</summary>
    internal void Granted() => granted(this);
}
