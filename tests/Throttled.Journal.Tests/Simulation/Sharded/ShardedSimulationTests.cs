using Throttled.Testing;
using Throttled.Testing.Scripted;

namespace Throttled.Simulation.Sharded;

public sealed class ShardedSimulationTests
{
    [Fact]
    public void Whatever_happens_to_shards_a_merged_query_gives_each_event_once_in_the_order_of_its_shard_and_never_fails() => RunAll(1_000);

    [Fact, Trait("Category", "Long")]
    public void Whatever_happens_to_shards_in_very_many_ways_a_merged_query_gives_each_event_once_and_never_fails() => RunAll(LongShare.Of(150_000));

    private static void RunAll(int seeds) =>
        Seeds.ForEach(seeds, seed => new ShardedSimulation(seed), simulation =>
        {
            using (simulation)
                simulation.Run();
        });
}
