using Throttled.Projections.Lanes;

namespace Throttled.Projections.Tests.Lanes;

public sealed class LaneBoardTests
{
    [Fact]
    public void A_batch_may_be_in_hand_since_the_clock_began()
    {
        var board = new LaneBoard();
        Assert.Null(board.InHandSince);
        board.InHandSince = 0;
        Assert.Equal(0, board.InHandSince);
        board.InHandSince = null;
        Assert.Null(board.InHandSince);
    }
}
