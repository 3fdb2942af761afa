using Akka.Actor;
using Akka.Persistence.Query.Throttled.Cluster.Budget;
using Throttled.Testing.Scripted;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Budget;

public sealed class BudgetActorTests(BudgetCluster cluster) : IClassFixture<BudgetCluster>
{
    private readonly FakeClock _clock = new();

    [Fact]
    public async Task A_node_that_joins_waits_until_the_others_have_made_room()
    {
        var first = new BudgetOfNode(cluster.First, _clock, "waits");
        await first.HasAsync(60);
        Assert.Equal(30, first.Ceiling.PerSecond);
        first.Start(60);
        var second = new BudgetOfNode(await cluster.JoinAsync(), _clock, "waits");
        await first.HasAsync(30);
        first.End(29);
        await AsksAsync(first, second);
        Assert.Equal(0, second.Ceiling.Permits);
        first.End(1);
        await second.HasAsync(30);
        Assert.Equal(15, second.Ceiling.PerSecond);
        await cluster.LeaveAsync(second.System);
    }

    [Fact]
    public async Task The_others_grow_at_once_when_a_node_has_released_its_share()
    {
        var first = new BudgetOfNode(cluster.First, _clock, "leaves");
        var second = new BudgetOfNode(await cluster.JoinAsync(), _clock, "leaves");
        await second.HasAsync(30);
        second.Start(1);
        var released = second.Actor.Ask<Done>(ReleaseShare.Instance);
        await second.HasAsync(0);
        Assert.False(released.IsCompleted);
        second.End(1);
        await released.WithinAsync("the share is released");
        await cluster.LeaveAsync(second.System);
        await first.HasAsync(60);
    }

    [Fact]
    public async Task The_others_grow_after_the_grace_period_when_a_node_was_downed()
    {
        var first = new BudgetOfNode(cluster.First, _clock, "downed");
        var second = new BudgetOfNode(await cluster.JoinAsync(), _clock, "downed");
        await second.HasAsync(30);
        await first.HasAsync(30);
        await cluster.KillAsync(second.System);
        var third = new BudgetOfNode(await cluster.JoinAsync(), _clock, "downed");
        await first.HasAsync(20);
        _clock.Advance(BudgetOfNode.Grace);
        await first.HasAsync(30);
        await third.HasAsync(30);
        await cluster.LeaveAsync(third.System);
    }

    [Fact]
    public async Task A_node_without_the_journal_delays_others_no_longer_than_the_grace_period()
    {
        var silent = await cluster.JoinAsync();
        var first = new BudgetOfNode(cluster.First, _clock, "silent");
        await Wait.UntilAsync(
            () =>
            {
                _clock.Advance(BudgetOfNode.Grace);
                return first.Ceiling.Permits == 30;
            },
            "the first node has its share");
        await cluster.LeaveAsync(silent);
    }

    [Fact]
    public async Task Nodes_without_the_role_are_not_counted()
    {
        var first = new BudgetOfNode(cluster.First, _clock, "roles");
        await first.HasAsync(60);
        var other = await cluster.JoinAsync("akka.cluster.roles = [writer]");
        await Wait.UntilAsync(() => global::Akka.Cluster.Cluster.Get(cluster.First).State.Members.Count == 2, "both nodes are members");
        await AsksAsync(first, first);
        Assert.Equal(60, first.Ceiling.Permits);
        await cluster.LeaveAsync(other);
    }

    // An actor that has answered a later message has handled the events before it.
    private static async Task AsksAsync(BudgetOfNode asked, BudgetOfNode asks)
    {
        await asked.Actor.Ask<ActorIdentity>(new Identify(1)).WithinAsync("the actor answers");
        await asks.Actor.Ask<ActorIdentity>(new Identify(2)).WithinAsync("the actor answers");
    }
}
