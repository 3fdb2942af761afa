namespace Throttled.Projections.Tests.Model;

public sealed class AssignedLanesTests
{
    private readonly AssignedLanes _assigned = new(3);
    private int _wakes;

    [Fact]
    public void Lanes_of_a_part_are_those_with_its_remainder()
    {
        _assigned.Add(1);
        Assert.Equal([1, 4, 7], _assigned.Claim(Lanes("........")));
        _assigned.Add(2);
        Assert.Equal([1, 2], _assigned.Claim(Lanes("...")));
    }

    [Fact]
    public void Nothing_is_claimed_unless_it_is_assigned() => Assert.Empty(_assigned.Claim(Lanes("......")));

    [Fact]
    public void A_lane_of_another_process_is_not_claimed_before_it_is_free()
    {
        _assigned.Add(0);
        Assert.Equal([3], _assigned.Claim(Lanes("b.....")));
        Assert.Equal([0, 3], _assigned.Claim(Lanes("......")));
    }

    [Fact]
    public void Own_lanes_that_are_not_assigned_are_released()
    {
        _assigned.Add(0);
        Assert.Equal([1, 4], _assigned.Release(Lanes("aabaab")));
    }

    [Fact]
    public void Each_change_wakes_the_projection()
    {
        _assigned.Attach(() => _wakes++);
        _assigned.Add(0);
        _ = _assigned.RemoveAsync(0);
        Assert.Equal(2, _wakes);
    }

    [Fact]
    public void A_part_is_drained_by_a_round_that_began_after_it_was_removed_and_owns_none_of_its_lanes()
    {
        _assigned.Attach(() => { });
        _assigned.Add(1);
        var before = _assigned.BeginRound();
        var drained = _assigned.RemoveAsync(1);
        _assigned.EndRound(before, []);
        Assert.False(drained.IsCompleted);
        var after = _assigned.BeginRound();
        _assigned.EndRound(after, [0, 4]);
        Assert.False(drained.IsCompleted);
        _assigned.EndRound(after, [0, 3, 2]);
        Assert.True(drained.IsCompletedSuccessfully);
    }

    [Fact]
    public void A_drain_ends_when_the_projection_has_stopped_or_never_ran()
    {
        _assigned.Add(1);
        Assert.True(_assigned.RemoveAsync(1).IsCompleted);
        _assigned.Attach(() => { });
        _assigned.Add(1);
        var drained = _assigned.RemoveAsync(1);
        _assigned.Detach();
        Assert.True(drained.IsCompleted);
    }

    [Fact]
    public void A_drain_ends_when_the_part_is_assigned_again()
    {
        _assigned.Attach(() => { });
        _assigned.Add(1);
        var drained = _assigned.RemoveAsync(1);
        _assigned.Add(1);
        Assert.True(drained.IsCompleted);
        Assert.Equal([1], _assigned.Claim(Lanes("...")));
    }

    [Fact]
    public void A_part_that_was_assigned_twice_stays_until_it_is_removed_twice()
    {
        _assigned.Add(1);
        _assigned.Add(1);
        Assert.True(_assigned.RemoveAsync(1).IsCompleted);
        Assert.Equal([1], _assigned.Claim(Lanes("...")));
        Assert.True(_assigned.RemoveAsync(1).IsCompleted);
        Assert.Empty(_assigned.Claim(Lanes("...")));
    }

    [Fact]
    public void A_wrong_part_is_refused_with_the_range()
    {
        Assert.StartsWith("'part' must be from 0 to 2.", Assert.Throws<ArgumentOutOfRangeException>(() => _assigned.Add(3)).Message);
        Assert.Throws<ArgumentOutOfRangeException>(() => { _ = _assigned.RemoveAsync(-1); });
        Assert.Equal("Part 2 is not assigned to this process.", Assert.Throws<InvalidOperationException>(() => { _ = _assigned.RemoveAsync(2); }).Message);
        Assert.StartsWith("'parts' must be at least 1.", Assert.Throws<ArgumentOutOfRangeException>(() => new AssignedLanes(0)).Message);
    }

    [Fact]
    public void Two_projections_that_run_cannot_share_it()
    {
        _assigned.Attach(() => { });
        Assert.Contains("used by another projection", Assert.Throws<InvalidOperationException>(() => _assigned.Attach(() => { })).Message);
    }

    private static LaneOwners Lanes(string owners) =>
        new("p", "a", [.. owners.Select(owner => owner == '.' ? null : owner.ToString())], ["a", "b"]);
}
