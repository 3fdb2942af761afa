using Throttled.Faults.PostgreSql;
using Throttled.Faults.World;
using Throttled.Testing;
using Xunit.Abstractions;

namespace Throttled.Faults.Fleet;

/// <summary>Readers whose connections lead through PgBouncer lose no query and no event, whatever it does, in each of its modes.</summary>
[Collection(AloneCollection.Name)]
public sealed class PoolerTests(ITestOutputHelper output)
{
    private static readonly string[] Modes = ["session", "transaction", "statement"];

    private static readonly ServerFault[] Faults =
    [
        PoolerFaults.Killed, PoolerFaults.ServerKilled, PoolerFaults.Paused, PoolerFaults.Dropped, PoolerFaults.Disabled, PoolerFaults.NoClientsLeft,
        PoolerFaults.LongStatements, PoolerFaults.ShortLives, PoolerFaults.NoServerLeft,
    ];

    /// <summary>All modes and faults; a share of the long tests takes some by chance.</summary>
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
    public async Task A_pooler_that_is_killed_and_that_drops_all_costs_no_query_and_no_event(string mode)
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
    public async Task What_a_pooler_does_to_very_many_costs_no_query_and_no_event(string mode, string name)
    {
        var fault = Faults.Single(each => each.Name == name);
        await using var run = await ServerRun.StartAsync(output, LongShare.Of(10_000), fault, mode);
        await run.StrikeTwiceAsync(fault);
        await run.EndAsync();
    }

    // A session belongs to its client, so that PAUSE would wait for the reader to leave, and others could hold only what it does not.
    private static IEnumerable<(string Mode, string Fault)> All() => from mode in Modes
                                                                     from fault in Faults
                                                                     where mode == "transaction" || fault != PoolerFaults.NoServerLeft
                                                                     where mode != "session" || fault != PoolerFaults.Paused
                                                                     select (mode, fault.Name);
}
