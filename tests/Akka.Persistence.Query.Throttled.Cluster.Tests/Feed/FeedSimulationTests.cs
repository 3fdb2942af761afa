using Throttled.Testing;
using Throttled.Testing.Scripted;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

public sealed class FeedSimulationTests
{
    [Fact]
    public void Each_lane_gets_each_event_once_and_ends_level() =>
        Seeds.ForEach(2000, seed => new FeedSimulation(seed), simulation => simulation.Run());

    [Fact]
    [Trait("Category", "Long")]
    public void Each_lane_gets_each_event_once_and_ends_level_on_many_seeds() =>
        Seeds.ForEach(LongShare.Of(100_000), seed => new FeedSimulation(seed), simulation => simulation.Run());
}
