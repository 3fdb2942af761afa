using Throttled.Journal.Diagnostics;
using Throttled.Journal.Faults;
using Throttled.Journal.Permits;

namespace Throttled.Journal.Pages;

/// <summary>What the page scheduler works with beside the journal's context.</summary>
internal sealed record GateParts(
    IPermitSource Permits, PermitWidth Width, ByteBudget Budget, HeldPages Held, Outage Outage, LostStatements Lost, JournalGauges Gauges);
