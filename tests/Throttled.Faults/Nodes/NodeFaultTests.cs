namespace Throttled.Faults.Nodes;

/// <summary>
/// Three processes form a cluster, and one of them or the database fails. The read model stays exact, and the server never runs more statements of
/// readers than the budget and one poll of each node.
/// </summary>
public sealed class NodeFaultTests(ITestOutputHelper output)
{
    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task Balances_are_exact_after_a_node_was_killed() => RunAsync("node killed (SIGKILL)", async (cluster, _) =>
    {
        var killed = Any(cluster);
        await killed.KillAsync();
        await UntilRemovedAsync(cluster, killed);
        return [killed];
    });

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task Balances_are_exact_after_the_feeds_node_was_killed_within_a_batch() => RunAsync("feed's node killed within a batch", async (cluster, _) =>
    {
        var killed = cluster.FeedNode;
        await cluster.PauseAsync(killed);
        await killed.KillAsync();
        await UntilRemovedAsync(cluster, killed);
        return [killed];
    });

    /// <summary>
    /// A stopped node does not notice that it is downed. It keeps a batch open, and tries to commit it when it continues. For a moment it still uses its
    /// share, although the others have divided the whole budget.
    /// </summary>
    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task Balances_are_exact_after_a_stopped_node_came_back() => RunAsync(
        "node stopped (SIGSTOP) until it was downed, and continued",
        async (cluster, _) =>
        {
            var stopped = Any(cluster);
            await cluster.PauseAsync(stopped);
            await stopped.Process.SignalAsync("STOP");
            await UntilRemovedAsync(cluster, stopped);
            cluster.Gone(stopped);
            await cluster.AppendAsync();
            await cluster.UntilHandledAsync(cluster.Bank.Events);
            await cluster.AppendAsync();
            await stopped.ContinueAsync();
            await cluster.AppendAsync();
            await stopped.Process.EndedAsync("the end of a node that was downed while it was stopped");
            return [];
        },
        beyond: 3);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task Balances_are_exact_after_a_partition() => RunAsync("node cut off by a partition", async (cluster, round) =>
    {
        var isolated = Any(cluster);
        var others = cluster.Nodes.Where(node => node != isolated).ToList();
        var before = others[0].Seen("unreachable", isolated);
        cluster.Network.Isolate(isolated.Work.Address);
        // Every second partition is shorter than the split brain resolver's 'stable-after'.
        if (round % 2 == 1)
        {
            await others[0].UntilSeenAsync("unreachable", isolated, before + 1);
            cluster.Network.Heal();
            return [];
        }
        await cluster.AppendAsync();
        await UntilRemovedAsync(cluster, isolated);
        await isolated.Process.EndedAsync("the end of the smaller part");
        cluster.Network.Heal();
        return [isolated];
    });

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task Balances_are_exact_after_a_rolling_restart_with_another_version() => RunAsync(
        "rolling restart, other serializers, other number of lanes",
        async (cluster, round) =>
        {
            var isLater = round % 2 == 0;
            foreach (var node in cluster.Nodes.ToList())
            {
                await node.LeaveAsync();
                cluster.Gone(node);
                await cluster.AppendAsync(100);
                var next = await cluster.StartNodeAsync(node.Work.Address, isLater);
                await next.UntilReadingAsync();
            }
            await cluster.Bank.SetLanesAsync(cluster.Nodes[0].Work.Lanes);
            return [];
        });

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task Balances_are_exact_after_the_database_and_a_node_were_killed() => RunAsync("database killed, and a node meanwhile", async (cluster, _) =>
    {
        var killed = Any(cluster);
        cluster.Server.Kill();
        await killed.KillAsync();
        await Task.Run(cluster.Server.Start);
        await UntilRemovedAsync(cluster, killed);
        return [killed];
    });

    private async Task RunAsync(string fault, Func<BankCluster, int, Task<IEnumerable<BankNode>>> strike, int beyond = 0)
    {
        await using var cluster = await BankCluster.StartAsync(output);
        await cluster.RunAsync(fault, round => strike(cluster, round), beyond);
    }

    private static BankNode Any(BankCluster cluster) => cluster.Nodes[cluster.Random.Next(cluster.Nodes.Count)];

    private static async Task UntilRemovedAsync(BankCluster cluster, BankNode gone)
    {
        foreach (var node in cluster.Nodes.Where(node => node != gone))
            await node.UntilSeenAsync("removed", gone);
    }
}
