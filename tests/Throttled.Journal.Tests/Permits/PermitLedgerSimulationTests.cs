namespace Throttled.Journal.Tests.Permits;

public sealed class PermitLedgerSimulationTests
{
    [Fact]
    public void The_ledger_behaves_like_a_plain_list() => RunAll(200);

    [Fact, Trait("Category", "Long")]
    public void The_ledger_behaves_like_a_plain_list_in_very_many_runs() => RunAll(5_000);

    private static void RunAll(int seeds) => Seeds.ForEach(seeds, seed => new PermitLedgerSimulation(seed), simulation => simulation.Run());
}
