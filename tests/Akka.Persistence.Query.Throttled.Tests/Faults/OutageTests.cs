using Akka.Persistence.Query.Throttled.Tests.Faults.World;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Faults;

/// <summary>Actions of an administrator on the server cost no stream and no event.</summary>
public abstract class OutagesOf(int streams, int terminations, PostgreSqlFixture fixture, ITestOutputHelper output)
{
    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task A_server_that_is_stopped_and_started_costs_no_stream_and_no_event()
    {
        await using var journal = await ServerJournal.CreateAsync(fixture.Server);
        await using var run = await CrowdRun.StartAsync(journal, streams, "max-concurrent-queries = 4");
        for (var round = 0; round < 2; round++)
        {
            await run.Side.Meter.UntilFollowingAsync(run.Crowd.Size);
            fixture.Server.Stop();
            await run.Side.Meter.MoreAsync(1, "probe");
            fixture.Server.Start();
            await run.MoreAsync(50);
        }

        await run.EndAsync();
        // One log entry for each outage, with any number of streams and statements.
        Assert.InRange(run.Side.WarningsAndErrors, 1, 6);
        output.WriteLine($"{run.Side.Meter}");
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Sessions_terminated_at_random_cost_no_stream_and_no_event()
    {
        await using var journal = await ServerJournal.CreateAsync(fixture.Server);
        await using var run = await CrowdRun.StartAsync(journal, streams, "max-concurrent-queries = 4, max-buffer-size = 20");
        var terminated = 0;
        // Some sessions end while streams catch up, some while they follow. Each round waits until there is a session.
        for (var round = 0; round < terminations; round++)
        {
            await Wait.UntilAsync(async () => (terminated += await journal.TerminateAsync(2)) > round, () => "a session to terminate");
            await run.MoreAsync(10);
        }

        await run.EndAsync();
        output.WriteLine($"{terminated} sessions terminated; {run.Side.Meter}");
    }
}

[Collection(OnPostgreSql.Name)]
public sealed class OutageTests(PostgreSqlFixture fixture, ITestOutputHelper output) : OutagesOf(50, 3, fixture, output);

[Collection(OnPostgreSql.Name)]
[Trait("Category", "Long")]
public sealed class ManyOutagesTests(PostgreSqlFixture fixture, ITestOutputHelper output) : OutagesOf(Math.Max(100, LongShare.Of(1_000)), LongShare.Of(15), fixture, output);
