namespace Throttled.Faults.Nodes;

/// <summary>
/// Three processes form a cluster, and their network, version or database changes. The same must hold as in <see cref="NodeFaultTests"/>. The two classes
/// run beside each other.
/// </summary>
public sealed class ClusterFaultTests(ITestOutputHelper output)
{
    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Balances_are_exact_after_a_partition()
    {
        await using var cluster = await BankCluster.StartAsync(output);
        await cluster.RunAsync("node cut off by a partition until it was downed", async _ =>
        {
            var isolated = cluster.Any();
            cluster.Network.Isolate(isolated.Work.Address);
            await cluster.AppendAsync();
            await cluster.UntilRemovedAsync(isolated);
            await isolated.Process.EndedAsync("the end of the smaller part");
            cluster.Network.Heal();
            return [isolated];
        });
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Balances_are_exact_after_a_partition_that_healed_before_the_downing()
    {
        await using var cluster = await BankCluster.StartAsync(output, BankCluster.WithoutDowning);
        await cluster.RunAsync("node cut off by a partition that healed before the downing", async _ =>
        {
            var isolated = cluster.Any();
            var other = cluster.Nodes.First(node => node != isolated);
            var (lost, found) = (other.Seen("unreachable", isolated), other.Seen("reachable", isolated));
            cluster.Network.Isolate(isolated.Work.Address);
            await other.UntilSeenAsync("unreachable", isolated, lost + 1);
            await cluster.AppendAsync();
            cluster.Network.Heal();
            await other.UntilSeenAsync("reachable", isolated, found + 1);
            return [];
        });
    }

    /// <summary>
    /// Every second round goes back to the earlier version. A new node has a new address, as a new pod has: with the address of the node that left, Akka.Remote
    /// sometimes does not connect two of the nodes. No node is downed here, however slow the machine is.
    /// </summary>
    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Balances_are_exact_after_a_rolling_restart_with_another_version_and_back()
    {
        await using var cluster = await BankCluster.StartAsync(output, BankCluster.WithoutDowning);
        await cluster.RunAsync(
            "rolling restart to a later version and back, other serializers, other number of lanes",
            async round =>
            {
                var isLater = round % 2 == 0;
                foreach (var node in cluster.Nodes.ToList())
                {
                    await node.LeaveAsync();
                    cluster.Gone(node);
                    await cluster.AppendAsync(100);
                    var next = await cluster.StartNodeAsync(isLater);
                    await next.UntilReadingAsync();
                }
                await cluster.Bank.SetLanesAsync(cluster.Nodes[0].Work.Lanes);
                return [];
            },
            least: 2);
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Balances_are_exact_after_the_database_and_a_node_were_killed()
    {
        await using var cluster = await BankCluster.StartAsync(output);
        await cluster.RunAsync("database killed, and a node meanwhile", async _ =>
        {
            var killed = cluster.Any();
            cluster.Server.Kill();
            await killed.KillAsync();
            await Task.Run(cluster.Server.Start);
            await cluster.UntilRemovedAsync(killed);
            return [killed];
        });
    }
}
