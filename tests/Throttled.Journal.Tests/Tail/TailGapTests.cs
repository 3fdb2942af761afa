using Throttled.Journal.Sql;
using Throttled.Journal.Tests.Support;

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

    [Fact]
    public void Gaps_beside_a_transaction_that_never_ends_do_not_grow_for_ever_and_lose_nothing()
    {
        using var world = new World();
        var reader = world.Open("q");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Begin().Add("stuck", 1);
        for (var i = 1; i <= 1_200; i++)
        {
            RollOneBack(world);
            world.Journal.Append("q", i, i);
            world.Advance(TimeSpan.FromMilliseconds(20));
            Assert.InRange(world.Engine.Gaps(), 0, 1_001);
        }
        world.AdvanceUntil(() => reader.Events.Count == 1_200);
        Assert.Equal(1, world.Log.CountOf(11));
        Assert.NotEqual(0, world.Log.CountOf(15));
    }

    [Fact]
    public void A_journal_that_came_back_without_its_newest_rows_is_followed_from_its_new_end()
    {
        using var world = new World();
        world.Journal.Append("old", 1, 5);
        var reader = world.Open("new");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Fault = _ => new ScriptedFault(FaultKind.ConnectionLost);
        world.Advance(TimeSpan.FromSeconds(1));
        world.Journal.Rewind(2);
        world.Journal.Append("new", 1, 1);
        world.Database.Fault = null;
        world.AdvanceUntil(() => reader.Events.Count == 1, seconds: 10);
    }

    private static void RollOneBack(World world)
    {
        var transaction = world.Journal.Begin();
        transaction.Add("never", 1);
        transaction.RollBack();
        world.Journal.LetGo(transaction);
    }
}
