using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled.Permits;

/// <summary>
/// What a <see cref="QueryThrottler"/> works with, and what outlives it: an actor that is restarted goes on with the same ledger.
/// </summary>
internal sealed record ThrottlerParts
{
    /// <summary>Who holds a permit and who waits for one. The actor's alone.</summary>
    internal required PermitLedger Ledger { get; init; }

    /// <summary>When tokens come due; null where statements have no rate.</summary>
    internal required TokenClock? Tokens { get; init; }

    /// <summary>The time that <see cref="Tokens"/> goes by.</summary>
    internal required Func<TimeSpan> Now { get; init; }

    /// <summary>Takes a grant to its statement.</summary>
    internal required Action<StatementSlot> Grant { get; init; }

    /// <summary>Called when the actor has stopped for good.</summary>
    internal required Action Stopped { get; init; }
}
