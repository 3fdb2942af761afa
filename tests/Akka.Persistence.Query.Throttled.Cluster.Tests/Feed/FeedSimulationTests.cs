using Throttled.Testing.Scripted;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

public sealed class FeedSimulationTests
{
    [Fact]
    public void Each_lane_gets_each_event_once_and_catches_up() =>
        Seeds.ForEach(60, seed => new FeedSimulation(seed), simulation => simulation.Run());

    // Not found, because a batch is right at its position in any epoch: AnyEpoch. Epochs keep old demands from the feed.
    [Theory]
    [InlineData(FeedMistake.AnyPosition)]
    [InlineData(FeedMistake.TruncatedToTheEnd)]
    [InlineData(FeedMistake.BehindTheWindow)]
    [InlineData(FeedMistake.NeverAsks)]
    [InlineData(FeedMistake.LosesItsPage)]
    public void A_mistake_is_found(FeedMistake mistake) => Assert.Contains(Enumerable.Range(1, 100), seed => IsFound(seed, mistake));

    [Fact]
    public void An_older_epoch_does_no_harm() => Assert.All(Enumerable.Range(1, 40), seed => Assert.False(IsFound(seed, FeedMistake.AnyEpoch)));

    [Fact]
    [Trait("Category", "Long")]
    public void Each_lane_gets_each_event_once_and_catches_up_on_many_seeds() =>
        Seeds.ForEach(LongShare.Of(100_000), seed => new FeedSimulation(seed), simulation => simulation.Run());

    private static bool IsFound(int seed, FeedMistake mistake)
    {
        try
        {
            new FeedSimulation(seed, mistake).Run();
            return false;
        }
        catch (Xunit.Sdk.XunitException)
        {
            return true;
        }
    }
}
