using Throttled.Faults.Fleet;
using Throttled.Faults.World;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.PostgreSql;

/// <summary>A server clock that jumps during open transactions of any age, or during a restart, costs no query and no event.</summary>
[Collection(AloneCollection.Name)]
public sealed class ClockTests(ITestOutputHelper output)
{
    private static readonly TimeSpan Ahead = TimeSpan.FromHours(1);
    private static readonly TimeSpan Behind = TimeSpan.FromHours(-2);

    [FleetFact("faketime")]
    [Trait("Category", "Long")]
    public async Task A_server_clock_that_jumps_under_very_many_costs_no_query_and_no_event()
    {
        using var server = PostgreSqlServer.Start(hasClock: true);
        await using var journal = await PostgreSqlHost.CreateAsync(server);
        await using var run = await FaultRun.StartAsync(journal, new("PostgreSQL", LongShare.Of(10_000)) { OverlappingWriters = 3 }, output);
        await run.UntilCatchingUpAsync();
        foreach (var _ in Enumerable.Range(0, 2))
        {
            await run.StrikeAsync("clock jumps an hour ahead and two behind", () => JumpAsync(run, server), () => BackAsync(server));
            await run.StrikeAsync("server killed, started with a clock two hours behind", () => RestartAsync(run, server, Behind), () => BackAsync(server));
            await run.StrikeAsync("server killed, started with a clock an hour ahead", () => RestartAsync(run, server, Ahead), () => BackAsync(server));
        }
        await run.EndAsync();
    }

    private static async Task JumpAsync(FaultRun run, PostgreSqlServer server)
    {
        foreach (var offset in new[] { Ahead, Behind })
        {
            var now = await NowAsync(run);
            server.MoveClock(offset);
            Assert.InRange((await NowAsync(run) - now).Duration(), Ahead / 2, 4 * Ahead);
            await run.Meter.MoreAsync(5, "keys");
        }
    }

    private static async Task RestartAsync(FaultRun run, PostgreSqlServer server, TimeSpan offset)
    {
        server.Kill();
        await run.Meter.MoreAsync(1, "probe");
        server.MoveClock(offset);
        server.Start();
        await run.Meter.MoreAsync(5, "keys");
    }

    private static async Task<DateTime> NowAsync(FaultRun run)
    {
        await using var connection = await run.Journal.ConnectAsync();
        return await connection.ScalarAsync<DateTime>("SELECT clock_timestamp()");
    }

    private static Task BackAsync(PostgreSqlServer server)
    {
        server.MoveClock(TimeSpan.Zero);
        return Task.CompletedTask;
    }
}
