using Throttled.Testing;
using Throttled.Testing.Scripted;

namespace Throttled.Journal.Tests.Sharding;

public sealed class MergedFeedSimulationTests
{
    [Fact]
    public void Whatever_shards_and_reader_do_each_item_comes_once_in_its_order_and_no_shard_starves() => RunAll(5_000);

    [Fact, Trait("Category", "Long")]
    public void Whatever_they_do_in_very_many_ways_each_item_comes_once_in_its_order_and_no_shard_starves() => RunAll(LongShare.Of(2_000_000));

    private static void RunAll(int seeds) =>
        Seeds.ForEach(seeds, seed => new MergedFeedSimulation(seed), simulation => simulation.Run());
}
