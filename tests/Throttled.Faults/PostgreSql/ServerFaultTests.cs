using Throttled.Faults.World;

namespace Throttled.Faults.PostgreSql;

/// <summary>Faults of networks, sessions and rights cost no query and no event, and no permit is granted twice.</summary>
[Collection(AloneCollection.Name)]
public sealed class ServerFaultTests(ITestOutputHelper output)
{
    /// <summary>All faults.</summary>
    internal static readonly ServerFault[] Faults =
    [
        NetworkFaults.CutInMidRow, NetworkFaults.ResetInMidStatement, NetworkFaults.ClosedInMidStatement, NetworkFaults.HalfOpen,
        NetworkFaults.HalfOpenAtDefaults, NetworkFaults.Slow, NetworkFaults.Refused, NetworkFaults.Silent,
        SessionFaults.Terminated, SessionFaults.Cancelled, SessionFaults.TimedOut, SessionFaults.LockTimedOut, SessionFaults.IdleTimedOut,
        AccessFaults.NoConnectionLeft, AccessFaults.ConnectionLimit, AccessFaults.RevokedForLong, AccessFaults.NoConnect, AccessFaults.NoLogin,
        AccessFaults.OtherPassword, RestartFaults.Stopped, RestartFaults.Recovering,
        ChangeFaults.RejectedByAddress, ChangeFaults.ShortTimeouts, ChangeFaults.ShortStatements, ChangeFaults.OrderingWidened,
        ChangeFaults.NumbersLeftOut,
    ];

    private static readonly ServerFault[] Lasting =
        [NetworkFaults.HalfOpen, NetworkFaults.HalfOpenAtDefaults, SessionFaults.Terminated, AccessFaults.RevokedForLong];

    /// <summary>A share of the long tests takes random ones, except faults that take a minute with any number of queries.</summary>
    public static TheoryData<string> Names =>
        [.. LongShare.Some(LongShare.IsWhole ? Faults : Faults.Except(Lasting), 6).Select(fault => fault.Name)];

    [PostgreSqlFact, Trait("Category", "Long")]
    public async Task Queries_survive_several_faults_in_a_row()
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
