namespace Throttled.Simulation.Sharded;

public sealed class ShardedSimulationTests
{
    [Fact]
    public void A_merged_query_gives_each_event_once_in_shard_order_and_never_fails() => RunAll(300);

    [Fact, Trait("Category", "Long")]
    public void A_merged_query_gives_each_event_once_and_never_fails_in_very_many_runs() => RunAll(LongShare.Of(150_000));

    private static void RunAll(int seeds) =>
        Seeds.ForEach(seeds, seed => new ShardedSimulation(seed), simulation =>
        {
            using (simulation)
                simulation.Run();
        });
}
