using Throttled.Journal.Faults;
using Throttled.Journal.Pages;

namespace Throttled.Journal.Tail;

/// <summary>What the tail works with beside the journal's context.</summary>
internal sealed record TailParts(ReservedStatements Reserved, Outage Outage, LostStatements Lost, ByteBudget Budget);
