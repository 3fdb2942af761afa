extern alias crush;

using crush::CrushTest.Show;

namespace Throttled.Tool.Tests.Crush;

public sealed class VerdictTests
{
    private static readonly CrushReport Flawless = new()
    {
        Streams = 100_000,
        EventsPerStream = 100,
        Page = 10,
        Database = "SQLite",
        Shards = 1,
        Payload = "bytes",
        HasActors = true,
        Rounds = 1,
        Permits = 100,
        PermitsInEffect = [2],
        Seconds = 16.2,
        EventsPerSecond = 617_284,
        FloorSeconds = 8.5,
        Ratio = 1.906,
        EngineSeconds = 7,
        CpuPerEvent = 3,
        FloorCpuPerEvent = 2,
        Statements = 10_000,
        MaxInFlight = 3,
        Failed = 0,
        Missing = 0,
        Doubled = 0,
        OutOfOrder = 0,
        RefreshIntervalMs = 1000,
        IdleStatementsPerSecond = 1,
        DeliveryAfterIdleMs = 1,
        DeliveryP50Ms = 1,
        DeliveryP99Ms = 1,
        AllocatedPerEvent = 1,
        PeakMemoryMb = 1,
    };

    private static readonly BesideReport Existing = new()
    {
        Plugin = "Akka.Persistence.Sql 1.5.73",
        TimeoutSeconds = 3,
        Seconds = 64,
        Complete = 31_310,
        Delivered = 3_131_000,
        Failed = 68_690,
        AllocatedPerEvent = 1,
        PeakMemoryMb = 1,
    };

    [Fact]
    public void Actors_without_a_flaw_are_one_sentence() => Assert.Equal(
        "100,000 actors read 10,000,000 events in 16.2 s, 1.9 × the raw floor; no query failed, no event was lost, doubled or out of order.",
        Flawless.Verdict);

    [Fact]
    public void Subscriptions_are_named_beside_streams() => Assert.StartsWith(
        "100,000 actors read 10,000,000 events in 16.2 s, 1.9 × the raw floor (with subscriptions instead of streams in 8.4 s); no query failed",
        (Flawless with { EmptySeconds = 7, SubscriptionSeconds = 8.4 }).Verdict, StringComparison.Ordinal);

    [Fact]
    public void The_engine_alone_has_live_queries() =>
        Assert.StartsWith("100,000 live queries read", (Flawless with { HasActors = false }).Verdict, StringComparison.Ordinal);

    [Fact]
    public void Each_flaw_is_counted() => Assert.Equal(
        "FLAWED: 100,000 actors read 10,000,000 events in 16.2 s, 1.9 × the raw floor; failed queries: 1; events lost: 2, doubled: 3, out of order: 4.",
        (Flawless with { Failed = 1, Missing = 2, Doubled = 3, OutOfOrder = 4 }).Verdict);

    [Fact]
    public void One_flaw_is_enough_for_another_exit_code()
    {
        Assert.True(Flawless.IsFlawless);
        CrushReport[] flawed = [Flawless with { Failed = 1 }, Flawless with { Missing = 1 }, Flawless with { Doubled = 1 }, Flawless with { OutOfOrder = 1 }];
        Assert.All(flawed, report => Assert.False(report.IsFlawless));
    }

    [Fact]
    public void The_existing_plugin_has_a_ratio_only_where_every_stream_reached_its_last_event()
    {
        var raised = Existing with { TimeoutSeconds = 3600, Complete = 100_000, Failed = 0, Ratio = 19.5 };
        Assert.EndsWith(
            "; Akka.Persistence.Sql 1.5.73 brought 31,310 of 100,000 streams to their last event in 64 s (68,690 failed) with its default time-out, and "
            + "took 19.5 × as long with a time-out of 3,600 s.",
            (Flawless with { Beside = [Existing, raised] }).Verdict,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Failures_of_the_existing_plugin_are_no_flaws_of_ours() => Assert.True((Flawless with { Beside = [Existing, Existing] }).IsFlawless);
}
