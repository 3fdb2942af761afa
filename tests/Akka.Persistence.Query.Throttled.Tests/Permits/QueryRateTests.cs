using Akka.TestKit;

namespace Akka.Persistence.Query.Throttled.Tests.Permits;

/// <summary>The rate of statements, on a clock and a scheduler that the test moves.</summary>
public sealed class QueryRateTests() : ThrottlerKit("akka.loglevel = OFF\nakka.scheduler.implementation = \"Akka.TestKit.TestScheduler, Akka.TestKit\"")
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    [Fact]
    public async Task Beyond_the_burst_statements_start_at_the_rate()
    {
        Start(limit: 100, perSecond: 10, burst: 2);
        var slots = Slots(5);
        Request(slots);
        await FenceAsync();
        Assert.Equal(slots[..2], Grants);

        for (var granted = 3; granted <= 5; granted++)
        {
            await AdvanceAsync(Interval);
            Assert.Equal(slots[..granted], Grants);
        }
    }

    [Fact]
    public async Task A_pause_saves_no_more_tokens_than_the_burst()
    {
        Start(limit: 100, perSecond: 10, burst: 3);
        await AdvanceAsync(TimeSpan.FromHours(1));
        var slots = Slots(6);
        Request(slots);
        await FenceAsync();
        Assert.Equal(slots[..3], Grants);
    }

    [Fact]
    public async Task A_raised_limit_after_a_pause_grants_no_more_than_the_burst()
    {
        Start(limit: 1, perSecond: 10, burst: 3);
        Request(Slots(10));
        await AdvanceAsync(TimeSpan.FromHours(1));
        SetLimit(100);
        await FenceAsync();
        Assert.Equal(1 + 3, Grants.Count);
    }

    [Fact]
    public async Task A_lowered_limit_applies_to_tokens_that_are_already_due()
    {
        Start(limit: 2, perSecond: 10, burst: 1);
        var slots = Slots(3);
        Request(slots);
        await FenceAsync();
        Clock += TimeSpan.FromSeconds(1);
        SetLimit(1);
        await FenceAsync();
        Assert.Equal(slots[..1], Grants);
    }

    [Fact]
    public async Task A_token_without_a_permit_starts_no_statement()
    {
        Start(limit: 1, perSecond: 10, burst: 5);
        var slots = Slots(2);
        Request(slots);
        await AdvanceAsync(10 * Interval);
        Assert.Equal(slots[..1], Grants);

        Return(slots[0]);
        await FenceAsync();
        Assert.Equal(slots, Grants);
    }

    [Fact]
    public async Task After_a_restart_tokens_are_still_added()
    {
        Start(limit: 100, perSecond: 10, burst: 1);
        var slots = Slots(4);
        Request(slots);
        FailAndRestart();
        await FenceAsync();
        Assert.Equal(slots[..1], Grants);

        await AdvanceAsync(Interval);
        Assert.Equal(slots[..2], Grants);
        FailAndRestart();
        await AdvanceAsync(Interval);
        Assert.Equal(slots[..3], Grants);
    }

    [Fact]
    public async Task A_token_that_was_due_when_the_throttler_failed_is_not_lost()
    {
        Start(limit: 100, perSecond: 10, burst: 1);
        var slots = Slots(3);
        Request(slots);
        await FenceAsync();
        ClockFault = new InvalidOperationException("The clock fails once.");
        await AdvanceAsync(Interval);
        Assert.Null(ClockFault);
        Assert.Equal(slots[..2], Grants);
        await AdvanceAsync(Interval);
        Assert.Equal(slots, Grants);
    }

    private async Task AdvanceAsync(TimeSpan time)
    {
        // The throttler sets its timer only after it has handled all earlier messages.
        await FenceAsync();
        Clock += time;
        ((TestScheduler)Sys.Scheduler).Advance(time);
        await FenceAsync();
    }
}
