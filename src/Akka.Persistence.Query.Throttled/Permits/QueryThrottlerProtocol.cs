using Akka.Actor;
using Akka.Event;
using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled.Permits;

// A throttler that was stopped ends its journal's statements, which return their permits to nobody, so a dead letter of these is no error.
// A slot is one object of this process, which must arrive as it is, also where akka.actor.serialize-messages is on.

/// <summary>A statement wants to run: it joins the queue.</summary>
internal sealed record RequestQueryPermit(StatementSlot Slot) : IDeadLetterSuppression, INoSerializationVerificationNeeded;

/// <summary>A statement has ended, or does not want to run any more. Harmless when sent twice.</summary>
internal sealed record ReturnQueryPermit(StatementSlot Slot) : IDeadLetterSuppression, INoSerializationVerificationNeeded;

/// <summary>The database takes fewer statements than there were permits, or more again.</summary>
internal sealed record SetQueryPermitLimit(int Limit) : IDeadLetterSuppression, INoSerializationVerificationNeeded;

/// <summary>Time has passed: a token may be due.</summary>
internal sealed record QueryTokensDue
{
    internal static QueryTokensDue Instance { get; } = new();
}

/// <summary>
/// What a <see cref="QueryThrottler"/> works with, and what outlives it: an actor that is restarted goes on with the same ledger.
/// </summary>
internal sealed record ThrottlerContext
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
