using Throttled.Faults.World;
using Throttled.Testing;
using Xunit.Abstractions;

namespace Throttled.Faults.PostgreSql;

/// <summary>What happens to networks, sessions and rights costs no query and no event, and no permit is given out twice.</summary>
[Collection(AloneCollection.Name)]
public sealed class ServerFaultTests(ITestOutputHelper output)
{
    /// <summary>All of them.</summary>
    internal static readonly ServerFault[] Faults =
    [
        NetworkFaults.CutInMidRow, NetworkFaults.ResetInMidStatement, NetworkFaults.ClosedInMidStatement, NetworkFaults.HalfOpen,
        NetworkFaults.HalfOpenAtDefaults, NetworkFaults.Slow, NetworkFaults.Refused, NetworkFaults.Silent,
        SessionFaults.Terminated, SessionFaults.Cancelled, SessionFaults.TimedOut, SessionFaults.LockTimedOut, SessionFaults.IdleTimedOut,
        AccessFaults.NoConnectionLeft, AccessFaults.ConnectionLimit, AccessFaults.RevokedForLong, AccessFaults.NoConnect, AccessFaults.NoLogin,
        AccessFaults.OtherPassword, RestartFaults.Stopped, RestartFaults.Recovering,
        ChangeFaults.RejectedByAddress, ChangeFaults.ShortTimeouts, ChangeFaults.ShortStatements, ChangeFaults.OrderingWidened,
    ];

    private static readonly ServerFault[] Lasting =
        [NetworkFaults.HalfOpen, NetworkFaults.HalfOpenAtDefaults, SessionFaults.Terminated, AccessFaults.RevokedForLong];

    /// <summary>A share of the long tests takes some by chance, without those that take a minute however few the queries are.</summary>
    public static TheoryData<string> Names =>
        [.. LongShare.Some(LongShare.IsWhole ? Faults : Faults.Except(Lasting), 6).Select(fault => fault.Name)];

    [PostgreSqlFact, Trait("Category", "Long")]
    public async Task One_crowd_outlives_fault_upon_fault()
    {
        await using var run = await ServerRun.StartAsync(output, 120, NetworkFaults.CutInMidRow);
        await run.Run.UntilCatchingUpAsync();
        await run.StrikeAsync(NetworkFaults.CutInMidRow);
        await run.StrikeAsync(NetworkFaults.ResetInMidStatement);
        await run.StrikeAsync(SessionFaults.TerminatedForShort);
        await run.StrikeAsync(SessionFaults.TimedOut);
        await run.StrikeAsync(AccessFaults.Revoked);
        await run.EndAsync();
    }

    [PostgreSqlTheory]
    [MemberData(nameof(Names))]
    [Trait("Category", "Long")]
    public async Task A_fault_under_very_many_costs_no_query_and_no_event(string name)
    {
        var fault = Faults.Single(each => each.Name == name);
        await using var run = await ServerRun.StartAsync(output, LongShare.Of(20_000), fault);
        await run.StrikeTwiceAsync(fault);
        await run.EndAsync();
    }
}
