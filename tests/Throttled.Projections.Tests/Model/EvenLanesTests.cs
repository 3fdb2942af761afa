namespace Throttled.Projections.Tests.Model;

public sealed class EvenLanesTests
{
    [Fact]
    public void A_single_process_claims_every_lane() => Assert.Equal([0, 1, 2], Assign("...", "a", "a").Claim);

    [Fact]
    public void Processes_that_start_together_claim_different_lanes()
    {
        Assert.Equal([0, 1, 2], Assign("........", "abc", "a").Claim);
        Assert.Equal([3, 4, 5], Assign("........", "abc", "b").Claim);
        Assert.Equal([6, 7], Assign("........", "abc", "c").Claim);
    }

    [Fact]
    public void A_process_that_is_not_registered_yet_counts_itself() => Assert.Equal([2, 3], Assign("....", "a", "b").Claim);

    [Fact]
    public void The_first_processes_in_order_have_one_more_lane() => Assert.Equal([5], Assign("aaabb...", "abc", "b").Claim);

    [Fact]
    public void A_new_process_gets_its_share_and_the_first_lanes_stay()
    {
        var plan = Assign("aaaaaaaa", "ab", "a");
        Assert.Equal([4, 5, 6, 7], plan.Release);
        Assert.Empty(plan.Claim);
        Assert.Equal([4, 5, 6, 7], Assign("aaaa....", "ab", "b").Claim);
    }

    [Fact]
    public void Balanced_lanes_do_not_move()
    {
        foreach (var member in "abc")
        {
            var plan = Assign("cabbacab", "abc", member.ToString());
            Assert.Empty(plan.Claim);
            Assert.Empty(plan.Release);
        }
    }

    [Fact]
    public void Processes_wait_for_the_lanes_of_a_dead_process_and_release_none()
    {
        foreach (var member in "ab")
        {
            var plan = Assign("aaabbbdd", "ab", member.ToString());
            Assert.Empty(plan.Claim);
            Assert.Empty(plan.Release);
        }
    }

    [Fact]
    public void With_more_processes_than_lanes_some_have_none()
    {
        Assert.Equal([1], Assign("a.", "abc", "b").Claim);
        Assert.Empty(Assign("a.", "abc", "c").Claim);
    }

    [Fact]
    public void After_any_changes_and_with_stale_views_all_lanes_are_owned_in_balance_within_three_rounds() =>
        Throttled.Testing.Scripted.Seeds.ForEach(2_000, seed => new LaneMarket(seed), market =>
        {
            market.Shake();
            market.Calm();
        });

    private static LanePlan Assign(string owners, string processes, string me) =>
        LanePlan.For([.. owners.Select(owner => owner == '.' ? null : owner.ToString())], [.. processes.Select(process => process.ToString())], me);
}
