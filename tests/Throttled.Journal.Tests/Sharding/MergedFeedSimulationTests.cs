namespace Throttled.Journal.Tests.Sharding;

public sealed class MergedFeedSimulationTests
{
    [Fact]
    public void Each_item_comes_once_in_order_and_no_shard_starves() => RunAll(5_000);

    [Fact, Trait("Category", "Long")]
    public void Each_item_comes_once_in_order_and_no_shard_starves_in_very_many_runs() => RunAll(LongShare.Of(2_000_000));

    private static void RunAll(int seeds) =>
        Seeds.ForEach(seeds, seed => new MergedFeedSimulation(seed), simulation => simulation.Run());
}
