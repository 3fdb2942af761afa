using Akka.Actor;
using Akka.Event;
using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled.Permits;

// A stopped throttler ends its journal's statements. These still return their permits, so dead letters of these messages are
// expected. A slot is an object of this process and must not be serialized, even if akka.actor.serialize-messages is on.

/// <summary>A statement requests a permit: it joins the queue.</summary>
internal sealed record RequestQueryPermit(StatementSlot Slot) : IDeadLetterSuppression, INoSerializationVerificationNeeded;

/// <summary>A statement has ended, or withdraws its request. Harmless when sent twice.</summary>
internal sealed record ReturnQueryPermit(StatementSlot Slot) : IDeadLetterSuppression, INoSerializationVerificationNeeded;

/// <summary>The database accepts fewer statements than there are permits, or more again.</summary>
internal sealed record SetQueryPermitLimit(int Limit) : IDeadLetterSuppression, INoSerializationVerificationNeeded;

/// <summary>Statements may start faster or slower; 0 per second is no limit.</summary>
internal sealed record SetQueryPermitRate(int PerSecond, int Burst) : IDeadLetterSuppression, INoSerializationVerificationNeeded;

/// <summary>A token may be due, because time has passed.</summary>
internal sealed record QueryTokensDue
{
    internal static QueryTokensDue Instance { get; } = new();
}

/// <summary>
/// The state and callbacks of a <see cref="QueryThrottler"/>. They survive a restart, so the restarted actor goes on with the
/// same ledger.
/// </summary>
internal sealed record ThrottlerContext
{
    /// <summary>The statements that hold a permit, and those that wait for one. Only the actor uses it.</summary>
    internal required PermitLedger Ledger { get; init; }

    /// <summary>When tokens are due; null if the rate is not limited.</summary>
    internal required TokenClock? Tokens { get; set; }

    /// <summary>The clock of <see cref="Tokens"/>.</summary>
    internal required Func<TimeSpan> Now { get; init; }

    /// <summary>Delivers a grant to its statement.</summary>
    internal required Action<StatementSlot> Grant { get; init; }

    /// <summary>Called when the actor has stopped for good.</summary>
    internal required Action Stopped { get; init; }
}
