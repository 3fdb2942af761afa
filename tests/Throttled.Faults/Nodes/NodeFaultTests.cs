namespace Throttled.Faults.Nodes;

/// <summary>
/// Three processes form a cluster, and one of them is killed or stopped. The read model stays exact, and the server never runs more statements of readers
/// than the budget and one poll of each node.
/// </summary>
public sealed class NodeFaultTests(ITestOutputHelper output)
{
    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Balances_are_exact_after_a_node_was_killed()
    {
        await using var cluster = await BankCluster.StartAsync(output);
        await cluster.RunAsync("node killed (SIGKILL)", async _ =>
        {
            var killed = cluster.Any();
            await killed.KillAsync();
            await cluster.UntilRemovedAsync(killed);
            return [killed];
        });
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Balances_are_exact_after_the_feeds_node_was_killed_within_a_batch()
    {
        await using var cluster = await BankCluster.StartAsync(output);
        await cluster.RunAsync("feed's node killed within a batch", async _ =>
        {
            var killed = await cluster.FeedNodeAsync();
            await cluster.StopWithinBatchAsync(killed);
            await killed.KillAsync();
            await cluster.UntilRemovedAsync(killed);
            return [killed];
        });
    }

    /// <summary>
    /// A stopped node does not notice that it is downed. It keeps a batch open, and tries to commit it when it continues. For a moment it still uses its
    /// share, although the others have divided the whole budget.
    /// </summary>
    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Balances_are_exact_after_a_stopped_node_came_back()
    {
        await using var cluster = await BankCluster.StartAsync(output);
        await cluster.RunAsync(
            "node stopped (SIGSTOP) until it was downed, and continued",
            async _ =>
            {
                var stopped = cluster.Any();
                await cluster.StopWithinBatchAsync(stopped);
                await cluster.UntilRemovedAsync(stopped);
                cluster.Gone(stopped);
                await cluster.AppendAsync();
                await cluster.UntilHandledAsync(cluster.Bank.Events);
                await cluster.AppendAsync();
                await stopped.ReleaseAsync();
                await cluster.AppendAsync();
                await stopped.Process.EndedAsync("the end of a node that was downed while it was stopped");
                return [];
            },
            beyond: 3);
    }
}
