using Throttled.Faults.World;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.PostgreSql;

/// <summary>A server that is killed with SIGKILL and restarted.</summary>
[Collection(AloneCollection.Name)]
public sealed class CrashTests(ITestOutputHelper output)
{
    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task A_server_that_is_killed_under_very_many_costs_no_query_and_no_event() => RunAsync(LongShare.Of(20_000));

    private async Task RunAsync(int queries)
    {
        using var server = PostgreSqlServer.Start();
        await using var journal = await PostgreSqlHost.CreateAsync(server);
        await using var run = await FaultRun.StartAsync(journal, new("PostgreSQL", queries), output);
        await run.StrikeTwiceAsync(
            "server killed (SIGKILL)",
            async () =>
            {
                server.Kill();
                await run.Meter.MoreAsync(1, "probe");
            },
            () =>
            {
                server.Start();
                return Task.CompletedTask;
            });
        await run.EndAsync();
    }
}
