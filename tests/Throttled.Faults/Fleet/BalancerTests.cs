using Throttled.Faults.World;

namespace Throttled.Faults.Fleet;

/// <summary>Very many queries read through HAProxy. It leads to one of a primary and two standbys, and switches between them on command.</summary>
[Collection(AloneCollection.Name)]
public sealed class BalancerTests(ITestOutputHelper output)
{
    private const string Database = "PostgreSQL behind HAProxy";

    private static int Queries => LongShare.Of(10_000);

    [FleetFact(HaProxy.Program)]
    [Trait("Category", "Long")]
    public async Task A_killed_balancer_and_one_without_a_server_cost_no_query_and_no_event()
    {
        await using var world = await BalancedWorld.StartAsync();
        await using var run = await FaultRun.StartAsync(world.Journal, Plan(), output);
        await run.StrikeTwiceAsync(
            "balancer killed (SIGKILL) and started",
            async () =>
            {
                world.Proxy.Kill();
                await run.Meter.MoreAsync(2, "probe");
            },
            world.Proxy.StartAsync);
        await run.StrikeAsync(
            "health check failed, no server left",
            async () =>
            {
                await world.Proxy.DownAsync(0);
                await run.Meter.MoreAsync(2, "probe");
            },
            () => world.Proxy.UpAsync(0));
        await run.EndAsync();
    }

    [FleetFact(HaProxy.Program)]
    [Trait("Category", "Long")]
    public async Task Connections_that_are_closed_when_idle_cost_no_query_and_no_event()
    {
        await using var world = await BalancedWorld.StartAsync(idle: "100ms");
        await using var run = await FaultRun.StartAsync(world.Journal, Plan(), output);
        await run.StrikeTwiceAsync("connections closed after 100 ms without a byte", () => run.Meter.MoreAsync(10, "keys"), () => Task.CompletedTask);
        await run.EndAsync();
    }

    // A switch back within 30 s looks like several servers in turn, so the queries wait until that time is over.
    [FleetFact(HaProxy.Program)]
    [Trait("Category", "Long")]
    public async Task A_health_check_that_switches_to_a_standby_and_back_costs_no_query_and_no_event()
    {
        await using var world = await BalancedWorld.StartAsync();
        await using var run = await FaultRun.StartAsync(world.Journal, Plan(), output);
        await run.StrikeTwiceAsync(
            "address led to a standby and back",
            async () =>
            {
                await world.LeadToAsync(1);
                await run.Meter.MoreAsync(3, "keys", "probe");
            },
            () => world.LeadToAsync(0));
        await run.EndAsync();
    }

    [FleetFact(HaProxy.Program)]
    [Trait("Category", "Long")]
    public async Task A_promotion_behind_the_balancer_costs_no_query_and_no_event()
    {
        await using var world = await BalancedWorld.StartAsync();
        await using var run = await FaultRun.StartAsync(world.Journal, Plan(), output);
        await run.UntilCatchingUpAsync();
        await run.StrikeAsync("primary killed, a standby promoted", () => world.PromoteAsync(1), () => Task.CompletedTask);
        await run.EndAsync();
    }

    [FleetTheory(HaProxy.Program)]
    [InlineData(true)]
    [InlineData(false)]
    [Trait("Category", "Long")]
    public async Task An_address_that_leads_to_three_servers_in_turn_is_refused_and_skips_no_event(bool prepare)
    {
        await using var world = await BalancedWorld.StartAsync();
        var ids = TestEvents.Ids("id", Queries);
        await world.Journal.AppendAsync([.. ids.Select(id => TestEvents.One(id, 1))]);
        for (var server = 1; server < world.Servers.Count; server++)
            await world.Proxy.UpAsync(server);
        await using var reader = world.Journal.OpenReader(new() { PrepareStatements = prepare, FatalErrorGracePeriod = TimeSpan.FromSeconds(5), MaxBufferSize = 100 });
        var readings = ids.Select(id => LiveReading.Of(reader.EventsByPersistenceId(id))).ToList();
        var all = LiveReading.Of(reader.AllEvents());
        await Wait.UntilAsync(() => all.Ended.IsCompleted, "the end of a query to three servers");
        var failed = 0;
        foreach (var reading in readings.Append(all))
        {
            failed++;
            var error = await Assert.ThrowsAsync<JournalException>(() => reading.Ended.WithinAsync("the end of a query to three servers"));
            Assert.Contains("leads to several servers in turn", error.Message, StringComparison.Ordinal);
            Assert.Equal(Enumerable.Range(1, reading.Count).Select(n => (long)n), reading.Events.Select(each => reading == all ? each.Ordering : each.SequenceNumber));
            await reading.DisposeAsync();
        }

        await world.LeadToAsync(0);
        FaultTable.Add(output, "address leads to three servers in turn", Database, "opening", failed, 0, "-", "-", $"{failed} (refused)", "-", "-");
        await Wait.UntilAsync(
            async () => (await AllOrNoneAsync(reader)) == Queries, () => "all events of the only remaining server", TimeSpan.FromMinutes(2));
    }

    private static async Task<int> AllOrNoneAsync(JournalReader reader)
    {
        try
        {
            return await reader.CurrentAllEvents().CountAsync();
        }
        catch (JournalException)
        {
            return 0;
        }
    }

    private static FaultPlan Plan() => new(Database, Queries);
}
