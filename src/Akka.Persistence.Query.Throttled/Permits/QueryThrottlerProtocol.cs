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
