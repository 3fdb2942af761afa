namespace Throttled.Journal.Tests.Tail;

public sealed class TailGapTests
{
    [Fact]
    public void The_tag_horizon_stays_below_transactions_that_may_still_commit()
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

    // Like an identity with an unknown increment, or writers that often roll back.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void The_high_water_mark_moves_on_even_if_gaps_appear_faster_than_they_are_requested(bool knowsOpenTransactions)
    {
        var interval = TimeSpan.FromMilliseconds(100);
        using var world = new World(
            options => options with { GapTimeout = TimeSpan.FromSeconds(1), RefreshInterval = interval, MinPollInterval = interval }, hasTriedEvidence: false);
        world.Database.KnowsOpenTransactions = knowsOpenTransactions;
        var reader = world.OpenAll();
        for (var i = 0; i < 30; i++)
        {
            for (var n = (110 * i) + 1; n <= 110 * (i + 1); n++)
            {
                world.Journal.Skip();
                world.Journal.Append("q", n, n);
            }
            world.Advance(interval);
        }
        Assert.NotEqual(0, world.Log.CountOf(11));
        Assert.InRange(reader.Events.Count, 1_000, 3_300);
    }

    [Fact]
    public void Orderings_between_two_steps_of_the_identity_delay_nothing()
    {
        using var world = new World(hasTriedEvidence: false);
        world.Database.Increment = 2;
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(11));
        for (var i = 1; i <= 5; i++)
        {
            world.Journal.Append("q", i, i);
            world.Journal.Skip();
        }
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(5, reader.Events.Count);
    }

    [Fact]
    public void An_ordering_without_an_owner_is_not_requested_again_while_it_ages()
    {
        using var world = new World(hasTriedEvidence: false);
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(11));
        world.Database.ForgetCalls();
        world.Journal.Skip();
        world.Journal.Append("q", 1, 1);
        world.Advance(TimeSpan.FromSeconds(9));
        Assert.Empty(reader.Events);
        Assert.Equal(1, world.Database.Of(CallKind.Keys).Count(call => call.Keys!.WithOpenTransactions));
        world.Advance(TimeSpan.FromSeconds(2));
        Assert.Single(reader.Events);
    }

    [Fact]
    public void A_late_row_comes_with_the_poll_that_finds_it()
    {
        using var world = new World();
        var reader = world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        for (var i = 1; i <= 5; i++)
        {
            world.Journal.Append("q", i, i);
            world.Advance(TimeSpan.FromSeconds(1));
        }
        var late = world.Journal.Begin();
        late.Add("late", 1);
        world.Journal.Append("q", 6, 6);
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(5, reader.Events.Count);
        world.Database.ForgetCalls();
        late.Commit();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(["late", "q"], reader.Events.Skip(5).Select(one => one.PersistenceId));
        Assert.Empty(world.Database.Of(CallKind.Rows));
    }

    [Fact, Trait("Category", "Long")]
    public void Gaps_beside_a_transaction_that_never_ends_stay_bounded_and_lose_nothing()
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
