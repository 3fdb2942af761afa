using Akka.Actor;
using Throttled.Testing;

namespace Akka.Persistence.Query.Throttled.Tests.Permits;

public sealed class QueryThrottlerTests() : ThrottlerKit("akka.loglevel = OFF")
{
    [Fact]
    public async Task Permits_go_to_those_who_asked_first()
    {
        Start(limit: 2);
        var slots = Slots(6);
        Request(slots);
        await FenceAsync();
        Assert.Equal(slots[..2], Grants);

        Return(slots[1], slots[0], slots[3]);
        await FenceAsync();
        Assert.Equal(slots[..5], Grants);
        Assert.Equal((2, 1), (Ledger.Held, Ledger.Waiting));
    }

    [Fact]
    public async Task A_place_in_line_that_is_given_up_is_passed_over()
    {
        Start(limit: 1);
        var slots = Slots(3);
        Request(slots);
        Return(slots[1], slots[0]);
        await FenceAsync();
        Assert.Equal([slots[0], slots[2]], Grants);
    }

    [Fact]
    public async Task A_permit_given_back_twice_is_given_back_once()
    {
        Start(limit: 1);
        var slots = Slots(3);
        Request(slots);
        Return(slots[0], slots[0], slots[0]);
        await FenceAsync();
        Assert.Equal(slots[..2], Grants);
        Assert.Equal((1, 1), (Ledger.Held, Ledger.Waiting));
    }

    [Fact]
    public async Task A_higher_limit_lets_those_in_who_wait()
    {
        Start(limit: 1);
        var slots = Slots(5);
        Request(slots);
        SetLimit(4);
        await FenceAsync();
        Assert.Equal(slots[..4], Grants);
    }

    [Fact]
    public async Task A_lower_limit_holds_back_what_returns()
    {
        Start(limit: 3);
        var slots = Slots(5);
        Request(slots);
        SetLimit(1);
        Return(slots[0], slots[1]);
        await FenceAsync();
        Assert.Equal(slots[..3], Grants);

        Return(slots[2]);
        await FenceAsync();
        Assert.Equal(slots[..4], Grants);
    }

    [Fact]
    public async Task A_restart_neither_loses_nor_doubles_a_permit()
    {
        Start(limit: 2);
        var slots = Slots(5);
        Request(slots);
        FailAndRestart();
        await FenceAsync();
        Assert.Equal(slots[..2], Grants);
        Assert.Equal((2, 3), (Ledger.Held, Ledger.Waiting));

        FailAndRestart();
        Return(slots[0]);
        FailAndRestart();
        Return(slots[0], slots[1]);
        await FenceAsync();
        Assert.Equal(slots[..4], Grants);
        Assert.Equal(0, Stops);
    }

    [Fact]
    public async Task A_throttler_that_is_stopped_says_so()
    {
        Start(limit: 1);
        Throttler.Tell(PoisonPill.Instance);
        await Wait.UntilAsync(() => Stops == 1, "the news of its end");
    }

    [Fact]
    public async Task A_throttler_that_is_killed_says_so()
    {
        Start(limit: 1);
        Throttler.Tell(Kill.Instance);
        await Wait.UntilAsync(() => Stops == 1, "the news of its end");
    }

    [Fact]
    public async Task What_is_told_to_a_throttler_that_has_stopped_is_no_news()
    {
        Start(limit: 1);
        var slots = Slots(2);
        Watch(Throttler);
        Throttler.Tell(PoisonPill.Instance);
        await ExpectTerminatedAsync(Throttler);
        Sys.EventStream.Subscribe(TestActor, typeof(Event.DeadLetter));
        Request(slots);
        Return(slots);
        SetLimit(3);
        // The last of them, and the only one that is heard of.
        Throttler.Tell("news");
        Assert.Equal("news", (await ExpectMsgAsync<Event.DeadLetter>()).Message);
    }
}
