using Throttled.Faults.World;

namespace Throttled.Faults.Standby;

/// <summary>
/// Queries of all kinds read a standby, while writers on the primary keep transactions open for less than the gap timeout. No event is lost, doubled
/// or early, for any lag of the standby and any killed server.
/// </summary>
[Collection(AloneCollection.Name)]
public sealed class StandbyTests(ITestOutputHelper output)
{
    private const string Database = "PostgreSQL standby";
    private static readonly TimeSpan GapTimeout = TimeSpan.FromSeconds(2);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task A_lagging_standby_and_a_killed_one_cost_no_query_and_no_event() => RunAsync(120, isShort: true);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task A_lagging_standby_and_killed_servers_under_very_many_cost_no_query_and_no_event() => RunAsync(LongShare.Of(20_000));

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task A_standby_that_always_lags_costs_no_query_and_no_event() => RunAsync(500, new() { ["recovery_min_apply_delay"] = "700ms" });

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Statements_that_the_replay_cancels_cost_no_query_and_no_event()
    {
        await using var world = await StandbyWorld.StartAsync(new() { ["max_standby_streaming_delay"] = "0", ["hot_standby_feedback"] = "off" });
        // With overlapping transactions, the lock would be taken only once a second, and would hardly ever meet a short statement.
        await using var run = await FaultRun.StartAsync(world.Journal, Plan(500) with { OverlappingWriters = 0 }, output);
        await run.StrikeTwiceAsync("statements cancelled for the replay", () => ConflictAsync(world), () => Task.CompletedTask);
        await EndAsync(run, world);
    }

    private async Task RunAsync(int queries, Dictionary<string, string>? settings = null, bool isShort = false)
    {
        await using var world = await StandbyWorld.StartAsync(settings);
        await using var run = await FaultRun.StartAsync(world.Journal, Plan(queries), output);
        await run.UntilCatchingUpAsync();
        await run.StrikeAsync("replay paused", () => PauseAsync(run, world), world.ResumeAsync);
        await run.StrikeAsync(
            "standby killed (SIGKILL)",
            async () =>
            {
                world.Standby.Kill();
                await run.Meter.MoreAsync(3, "probe");
            },
            () => Done(world.Standby.Start));
        if (!isShort)
        {
            await run.StrikeAsync("replay paused", () => PauseAsync(run, world), world.ResumeAsync);
            await run.StrikeAsync("primary killed (SIGKILL)", () => KillPrimaryAsync(run, world), () => Done(world.Primary.Start));
        }
        await EndAsync(run, world);
    }

    private static async Task KillPrimaryAsync(FaultRun run, StandbyWorld world)
    {
        world.Primary.Kill();
        await run.Meter.MoreAsync(5, "keys");
    }

    private static FaultPlan Plan(int queries)
    {
        var plan = new FaultPlan(Database, queries) { OverlappingWriters = 8, IsBehind = true };
        // Events after a gap come all at once. If they exceed a page, following queries go back to pages, and never all queries follow at once.
        return plan with { Options = plan.Options with { GapTimeout = GapTimeout, MaxBufferSize = 5_000, MaxQueriesPerSecond = Math.Max(150, queries / 30) } };
    }

    private static async Task PauseAsync(FaultRun run, StandbyWorld world)
    {
        await world.PauseAsync();
        var written = run.Ledger.Count + 200;
        await Wait.UntilAsync(() => run.Ledger.Count >= written, "events that the standby does not have");
        await run.Meter.MoreAsync(5, "keys");
    }

    // An exclusive lock is replayed too, and cancels statements that read.
    private static async Task ConflictAsync(StandbyWorld world)
    {
        var conflicts = await world.ConflictsAsync() + 5;
        await Wait.UntilAsync(
            async () =>
            {
                await world.Journal.ExecuteAsync("BEGIN; LOCK TABLE journal IN ACCESS EXCLUSIVE MODE; COMMIT");
                return await world.ConflictsAsync() >= conflicts;
            },
            () => $"{conflicts} statements that were cancelled",
            TimeSpan.FromMinutes(2));
    }

    private static async Task EndAsync(FaultRun run, StandbyWorld world)
    {
        await run.EndAsync();
        await world.NoStatementRunsAsync();
    }

    private static Task Done(Action action)
    {
        action();
        return Task.CompletedTask;
    }
}
