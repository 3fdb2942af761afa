using Throttled.Faults.PostgreSql;
using Throttled.Faults.World;

namespace Throttled.Faults.Fleet;

/// <summary>Faults of PgBouncer, in each of its modes, cost a reader behind it no query and no event.</summary>
[Collection(AloneCollection.Name)]
public sealed class PoolerTests(ITestOutputHelper output)
{
    private static readonly string[] Modes = ["session", "transaction", "statement"];

    private static readonly ServerFault[] Faults =
    [
        PoolerFaults.Killed, PoolerFaults.ServerKilled, PoolerFaults.Paused, PoolerFaults.Dropped, PoolerFaults.Disabled, PoolerFaults.NoClientsLeft,
        PoolerFaults.LongStatements, PoolerFaults.ShortLives, PoolerFaults.NoServerLeft,
    ];

    /// <summary>All modes and faults; a share of the long tests takes random ones.</summary>
    public static TheoryData<string, string> Cases()
    {
        var data = new TheoryData<string, string>();
        foreach (var (mode, fault) in LongShare.Some(All(), 3))
            data.Add(mode, fault);
        return data;
    }

    [FleetTheory(PgBouncer.Program)]
    [InlineData("session")]
    [InlineData("transaction")]
    [InlineData("statement")]
    [Trait("Category", "Long")]
    public async Task A_killed_pooler_and_one_that_drops_all_connections_cost_no_query_and_no_event(string mode)
    {
        await using var run = await ServerRun.StartAsync(output, 120, PoolerFaults.Killed, mode);
        await run.Run.UntilCatchingUpAsync();
        await run.StrikeAsync(PoolerFaults.Dropped);
        await run.StrikeAsync(PoolerFaults.Killed);
        await run.EndAsync();
    }

    [FleetTheory(PgBouncer.Program)]
    [MemberData(nameof(Cases))]
    [Trait("Category", "Long")]
    public async Task Any_fault_of_a_pooler_under_very_many_costs_no_query_and_no_event(string mode, string name)
    {
        var fault = Faults.Single(each => each.Name == name);
        await using var run = await ServerRun.StartAsync(output, LongShare.Of(10_000), fault, mode);
        await run.StrikeTwiceAsync(fault);
        await run.EndAsync();
    }

    // In session mode a session belongs to its client: PAUSE would wait for the reader to disconnect, and others could not take its connections.
    private static IEnumerable<(string Mode, string Fault)> All() => from mode in Modes
                                                                     from fault in Faults
                                                                     where mode == "transaction" || fault != PoolerFaults.NoServerLeft
                                                                     where mode != "session" || fault != PoolerFaults.Paused
                                                                     select (mode, fault.Name);
}
