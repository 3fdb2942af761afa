using Throttled.Testing.Scripted;

namespace Throttled.Journal.Tests.Permits;

public sealed class PermitLedgerSimulationTests
{
    [Fact]
    public void The_ledger_does_what_a_plain_list_does() =>
        Seeds.ForEach(5000, seed => new PermitLedgerSimulation(seed), simulation => simulation.Run());
}
