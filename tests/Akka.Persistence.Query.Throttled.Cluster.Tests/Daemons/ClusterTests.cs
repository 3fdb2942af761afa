using Akka.Cluster;
using Akka.Configuration;
using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Daemons;

public sealed class ClusterTests
{
    [Fact]
    public async Task Lanes_move_to_a_node_that_joins_and_a_node_that_leaves_drains_its_own()
    {
        await using var files = await ProjectedFiles.CreateAsync(200);
        await using var a = await DaemonNode.StartAsync(files, "a");
        await files.OwnAsync("a a a a");
        await files.HandledOnceAsync();
        await using var b = await DaemonNode.StartAsync(files, "b", a);
        await files.OwnAsync(owners => owners.Count(owner => owner == 'a') == 2 && owners.Count(owner => owner == 'b') == 2, "a and b, two lanes each");
        await files.AppendAsync(200);
        await files.HandledOnceAsync();

        // A batch is in hand while the node leaves: its lanes stay its own until the batch was written.
        var held = a.Handler.Hold();
        await files.AppendAsync(200);
        await a.Handler.Entered.Task.WithinAsync("a batch in hand");
        var leaving = a.StopAsync();
        await Wait.UntilAsync(() => b.Cluster.State.Members.Any(member => member.Status is not MemberStatus.Up) || leaving.IsCompleted, "the node to leave");
        Assert.Contains("a", await files.OwnersAsync(), StringComparison.Ordinal);
        held.SetResult();
        await leaving;
        await files.OwnAsync("b b b b");
        await files.HandledOnceAsync();
    }

    [Fact]
    [Trait("Category", "Long")]
    public async Task A_projection_moves_from_leases_to_daemons_and_back_on_the_same_tables()
    {
        await using var files = await ProjectedFiles.CreateAsync(100);
        var reader = files.OpenJournal();
        await using (reader)
        {
            var before = Leases(reader, files, "before");
            await files.OwnAsync("before before before before");
            await using (var node = await DaemonNode.StartAsync(files, "node"))
            {
                await files.AppendAsync(100);
                await files.HandledOnceAsync();
                await before.DisposeAsync();
                await files.OwnAsync("node node node node");
                await files.AppendAsync(100);
                await files.HandledOnceAsync();
                await using var after = Leases(reader, files, "after");
                await files.AppendAsync(100);
                await files.HandledOnceAsync();
                await node.StopAsync();
                await files.OwnAsync("after after after after");
                await files.AppendAsync(100);
                await files.HandledOnceAsync();
            }
        }
    }

    [Fact]
    [Trait("Category", "Long")]
    public async Task A_rebuild_and_another_number_of_lanes_run_on_the_same_daemons()
    {
        await using var files = await ProjectedFiles.CreateAsync(100);
        await using var node = await DaemonNode.StartAsync(files, "n", daemons: new() { Role = "projections" }, roles: ["projections"]);
        await files.OwnAsync("n n n n");
        var control = new ProjectionControl(files.OpenReadModel());
        await control.SetLanesAsync(ProjectedFiles.Name, 7);
        await files.OwnAsync("n n n n n n n");
        await control.RebuildAsync(ProjectedFiles.Name, "anew");
        await Wait.UntilAsync(async () => await files.OwnersAsync("anew") is { Length: > 0 } owners && !owners.Contains('-', StringComparison.Ordinal), () => "the lanes of the rebuild");
        await files.AppendAsync(100);
        await files.HandledOnceAsync("anew");
        await files.HandledOnceAsync();
    }

    [Fact]
    public async Task A_node_without_the_role_runs_no_lanes()
    {
        await using var files = await ProjectedFiles.CreateAsync(10);
        await using var node = await DaemonNode.StartAsync(files, "n", daemons: new() { Role = "others" });
        await Assert.ThrowsAnyAsync<Exception>(() => files.CountAsync());
    }

    [Fact]
    public async Task A_drain_that_may_take_longer_than_the_handoff_is_refused()
    {
        await using var files = await ProjectedFiles.CreateAsync(10);
        var error = await Assert.ThrowsAsync<ConfigurationException>(() => DaemonNode.StartAsync(files, "n", daemons: new() { DrainTimeout = TimeSpan.FromSeconds(60) }));
        Assert.Equal("'DrainTimeout' is 60 s; it must be above 0 and below 'akka.cluster.sharded-daemon-process.sharding.handoff-timeout', which is 60 s. Lower the one, or raise the other.", error.Message);
    }

    private static Projection Leases(global::Throttled.Journal.JournalReader reader, ProjectedFiles files, string process)
    {
        var projection = new Projection(reader, files.OpenReadModel(), new NumberHandler(), ProjectedFiles.Options(new() { Name = ProjectedFiles.Name }, process));
        projection.Start();
        return projection;
    }
}
