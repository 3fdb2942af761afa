using Throttled.Testing.Scripted;

namespace Throttled.Journal.Tests.Tail;

public sealed class TailGapTests
{
    [Fact]
    public void The_tag_horizon_stays_below_what_may_still_be_committed()
    {
        using var world = new World();
        var first = world.Journal.Begin();
        first.Add("a", 1);
        world.Open("p");
        world.Advance(TimeSpan.FromSeconds(1));
        var second = world.Journal.Begin();
        second.Add("b", 1);
        world.Journal.Append("c", 1, 1);
        world.Advance(TimeSpan.FromSeconds(1));
        first.Commit();
        world.Journal.LetGo(first);
        world.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal([0], world.Database.Horizons);
    }

    [Fact, Trait("Category", "Long")]
    public void Gaps_beside_a_transaction_that_never_ends_do_not_grow_for_ever_and_lose_nothing()
    {
        using var world = new World();
        var reader = world.Open("q");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Begin().Add("stuck", 1);
        for (var i = 1; i <= 1_200; i++)
        {
            world.Journal.Skip();
            world.Journal.Append("q", i, i);
            world.Advance(TimeSpan.FromMilliseconds(20));
            Assert.InRange(world.Engine.Gaps(), 0, 1_001);
        }
        world.AdvanceUntil(() => reader.Events.Count == 1_200);
        Assert.Equal(1, world.Log.CountOf(11));
        Assert.NotEqual(0, world.Log.CountOf(15));
    }
}
