using Throttled.Testing.Scripted;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Budget;

public sealed class BudgetSimulationTests(ITestOutputHelper output)
{
    [Fact]
    public void The_statements_of_all_nodes_never_exceed_the_budget() => RunAll(60);

    [Fact, Trait("Category", "Long")]
    public void The_statements_of_all_nodes_never_exceed_the_budget_in_very_many_runs() => RunAll(LongShare.Of(100_000));

    // MUTATIONS.md has the number of seeds until each was found.
    [Theory]
    [InlineData(nameof(Mutation.AcknowledgesUncounted))]
    [InlineData(nameof(Mutation.GrowsAtOnce))]
    [InlineData(nameof(Mutation.JoinerDoesNotWait))]
    [InlineData(nameof(Mutation.AcknowledgesTooEarly))]
    [InlineData(nameof(Mutation.RemovalCountsAsAcknowledgement))]
    [InlineData(nameof(Mutation.LeaverDoesNotDrain))]
    [InlineData(nameof(Mutation.SplitBrain))]
    public void Every_mutation_exceeds_the_budget_in_some_run(string mutation) => Find(mutation, 100);

    // One run of 35,000 finds it: the only node that counts a dead one leaves while another asks.
    [Fact]
    public void A_node_that_leaves_keeps_its_share_while_it_counts_nodes_that_are_gone()
    {
        Assert.True(Exceeds(35_411, Mutation.ReleasesWhileItCounts));
        new BudgetSimulation(35_411).Run();
    }

    [Fact, Trait("Category", "Long")]
    public void A_mutation_that_takes_hundreds_of_runs_exceeds_the_budget() => Find(nameof(Mutation.HidesCounted), 3_000);

    private void Find(string mutation, int seeds)
    {
        var seed = Enumerable.Range(1, seeds).FirstOrDefault(seed => Exceeds(seed, Enum.Parse<Mutation>(mutation)));
        Assert.True(seed > 0, $"No seed finds {mutation}.");
        output.WriteLine($"{mutation}: seed {seed}");
    }

    private static bool Exceeds(int seed, Mutation mutation)
    {
        try
        {
            new BudgetSimulation(seed, mutation).Run();
            return false;
        }
        catch (InvalidOperationException error)
        {
            return error.Message.Contains("statements run", StringComparison.Ordinal);
        }
    }

    private static void RunAll(int seeds) => Seeds.ForEach(seeds, seed => new BudgetSimulation(seed), simulation => simulation.Run());
}
