using Throttled.Testing;
using Throttled.Testing.Scripted;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Budget;

public sealed class BudgetSimulationTests(ITestOutputHelper output)
{
    [Fact]
    public void The_statements_of_all_nodes_never_exceed_the_budget() => RunAll(2_000);

    [Fact, Trait("Category", "Long")]
    public void The_statements_of_all_nodes_never_exceed_the_budget_in_very_many_runs() => RunAll(LongShare.Of(100_000));

    // MUTATIONS.md has the number of seeds until each was found.
    [Theory]
    [InlineData(nameof(Mutation.AcknowledgesUncounted))]
    [InlineData(nameof(Mutation.GrowsAtOnce))]
    [InlineData(nameof(Mutation.JoinerDoesNotWait))]
    [InlineData(nameof(Mutation.AcknowledgesTooEarly))]
    [InlineData(nameof(Mutation.HidesCounted))]
    [InlineData(nameof(Mutation.RemovalCountsAsAcknowledgement))]
    [InlineData(nameof(Mutation.LeaverDoesNotDrain))]
    [InlineData(nameof(Mutation.SplitBrain))]
    public void Every_mutation_exceeds_the_budget_in_some_run(string mutation)
    {
        // Most are found within 100 seeds.
        var seed = Enumerable.Range(1, 3_000).FirstOrDefault(seed => Exceeds(seed, Enum.Parse<Mutation>(mutation)));
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
