using Akka.Actor;
using Akka.Cluster;
using Akka.Persistence.Query.Throttled.Cluster.Budget;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Budget;

public sealed class BudgetNodeTests
{
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(45);

    private readonly BudgetNode _node = Of(new(10, 0));

    [Fact]
    public void A_node_has_no_share_before_it_is_Up()
    {
        _node.Seen(Node(1), MemberStatus.Joining, TimeSpan.Zero);
        _node.Advance(Grace * 2);
        Assert.Equal((BudgetState.Joining, 0), (_node.State, _node.Share.Limits.Permits));
    }

    [Fact]
    public void A_node_alone_has_the_whole_budget()
    {
        Up(1);
        Assert.Equal(10, _node.Share.Limits.Permits);
    }

    [Theory]
    [InlineData(1, 4)]
    [InlineData(2, 3)]
    [InlineData(3, 3)]
    public void The_first_nodes_by_address_have_what_remains(int self, int share)
    {
        var node = Of(new(10, 0), self);
        foreach (var each in (int[])[1, 2, 3])
            node.Seen(Node(each), MemberStatus.Up, TimeSpan.Zero);
        node.Advance(Grace);
        Assert.Equal(share, node.Share.Limits.Permits);
    }

    [Theory]
    [InlineData(MemberStatus.Joining)]
    [InlineData(MemberStatus.WeaklyUp)]
    [InlineData(MemberStatus.Leaving)]
    [InlineData(MemberStatus.Exiting)]
    [InlineData(MemberStatus.Down)]
    public void A_member_counts_until_it_is_removed(MemberStatus status)
    {
        Up(1);
        _node.Seen(Node(2), status, Grace);
        Assert.Equal(5, _node.Share.Limits.Permits);
    }

    [Fact]
    public void A_member_that_was_removed_counts_for_the_grace_period_unless_it_has_released_its_share()
    {
        Up(1);
        _node.Seen(Node(2), MemberStatus.Up, Grace);
        _node.Seen(Node(3), MemberStatus.Up, Grace);
        _node.Released(Node(2));
        _node.Removed(Node(2), Grace);
        _node.Removed(Node(3), Grace);
        Assert.Equal(5, _node.Share.Limits.Permits);
        _node.Advance(Grace * 2);
        Assert.Equal(10, _node.Share.Limits.Permits);
    }

    [Fact]
    public void A_share_is_released_also_after_its_node_was_removed()
    {
        Up(1);
        _node.Seen(Node(2), MemberStatus.Up, Grace);
        _node.Removed(Node(2), Grace);
        _node.Released(Node(2));
        Assert.Equal(10, _node.Share.Limits.Permits);
    }

    [Fact]
    public void An_acknowledgement_counts_only_if_both_count_the_same_nodes()
    {
        _node.Seen(Node(2), MemberStatus.Up, TimeSpan.Zero);
        Up(1);
        Assert.Equal([Node(2)], _node.Awaited);
        _node.Acknowledged(Node(2), [1, 2, 3]);
        Assert.Equal([Node(2)], _node.Awaited);
        _node.Acknowledged(Node(2), [1, 2]);
        _node.Advance(TimeSpan.Zero);
        Assert.Equal(5, _node.Share.Limits.Permits);
    }

    [Fact]
    public void Another_node_is_acknowledged_when_it_is_counted_and_the_statements_leave_room()
    {
        Up(1);
        Assert.False(_node.MayAcknowledge(Node(2), 0));
        _node.Seen(Node(2), MemberStatus.Joining, Grace);
        Assert.False(_node.MayAcknowledge(Node(2), 6));
        Assert.True(_node.MayAcknowledge(Node(2), 5));
    }

    [Fact]
    public void Without_an_answer_the_node_takes_its_share_after_the_grace_period()
    {
        _node.Seen(Node(2), MemberStatus.Up, TimeSpan.Zero);
        Up(1);
        _node.Advance(Grace - TimeSpan.FromTicks(1));
        Assert.Equal(0, _node.Share.Limits.Permits);
        _node.Advance(Grace);
        Assert.Equal(5, _node.Share.Limits.Permits);
    }

    [Fact]
    public void A_node_that_was_downed_has_no_share()
    {
        Up(1);
        _node.Seen(Node(1), MemberStatus.Down, Grace);
        Assert.Equal((BudgetState.Draining, 0), (_node.State, _node.Share.Limits.Permits));
    }

    [Fact]
    public void Every_node_has_at_least_1()
    {
        var node = Of(new(2, 1), 4);
        foreach (var each in (int[])[1, 2, 3, 4])
            node.Seen(Node(each), MemberStatus.Up, TimeSpan.Zero);
        node.Advance(Grace);
        Assert.Equal(new ClusterLimits(1, 1), node.Share.Limits);
    }

    [Fact]
    public void Limits_that_are_not_set_stay_unlimited()
    {
        var node = Of(new(int.MaxValue, 30));
        node.Seen(Node(1), MemberStatus.Up, TimeSpan.Zero);
        node.Seen(Node(2), MemberStatus.Joining, TimeSpan.Zero);
        node.Advance(TimeSpan.Zero);
        Assert.Equal(new ClusterLimits(int.MaxValue, 15), node.Share.Limits);
        Assert.Equal("15 per second", node.Share.Limits.ToString());
    }

    private void Up(int node)
    {
        _node.Seen(Node(node), MemberStatus.Up, TimeSpan.Zero);
        _node.Advance(TimeSpan.Zero);
    }

    private static BudgetNode Of(ClusterLimits budget, int self = 1) => new(Node(self), budget, new(Grace, TimeSpan.Zero));

    private static UniqueAddress Node(int number) => new(new Address("akka.tcp", "app", "host", number), number);
}
