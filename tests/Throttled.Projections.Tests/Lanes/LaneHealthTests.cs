using Throttled.Projections.Lanes;

namespace Throttled.Projections.Tests.Lanes;

public sealed class LaneHealthTests
{
    [Fact]
    public void A_batch_may_be_in_hand_since_time_zero()
    {
        var health = new LaneHealth();
        Assert.Null(health.InHandSince);
        health.InHandSince = 0;
        Assert.Equal(0, health.InHandSince);
        health.InHandSince = null;
        Assert.Null(health.InHandSince);
    }
}
