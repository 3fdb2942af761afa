using Akka.Actor;

namespace Akka.Persistence.Query.Throttled.Tests.Permits;

public sealed class QueryThrottlerTests() : ThrottlerKit("akka.loglevel = OFF")
{
    [Fact]
    public async Task Permits_are_granted_in_the_order_of_the_requests()
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
    public async Task A_cancelled_place_in_the_queue_is_skipped()
    {
        Start(limit: 1);
        var slots = Slots(3);
        Request(slots);
        Return(slots[1], slots[0]);
        await FenceAsync();
        Assert.Equal([slots[0], slots[2]], Grants);
    }

    [Fact]
    public async Task A_permit_that_is_returned_twice_counts_once()
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
    public async Task A_higher_limit_grants_waiting_requests()
    {
        Start(limit: 1);
        var slots = Slots(5);
        Request(slots);
        SetLimit(4);
        await FenceAsync();
        Assert.Equal(slots[..4], Grants);
    }

    [Fact]
    public async Task A_lower_limit_keeps_returned_permits()
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
    public async Task A_stopped_throttler_reports_its_end()
    {
        Start(limit: 1);
        Throttler.Tell(PoisonPill.Instance);
        await Wait.UntilAsync(() => Stops == 1, "the report of its end");
    }

    [Fact]
    public async Task A_killed_throttler_reports_its_end()
    {
        Start(limit: 1);
        Throttler.Tell(Kill.Instance);
        await Wait.UntilAsync(() => Stops == 1, "the report of its end");
    }

    [Fact]
    public async Task Messages_to_a_stopped_throttler_are_ignored()
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
        // The last message is the only one that becomes a dead letter.
        Throttler.Tell("last");
        Assert.Equal("last", (await ExpectMsgAsync<Event.DeadLetter>()).Message);
    }
}
