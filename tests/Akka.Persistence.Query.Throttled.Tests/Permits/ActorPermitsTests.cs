using Akka.Actor;
using Akka.Persistence.Query.Throttled.Permits;
using Throttled.Journal.Loop;
using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled.Tests.Permits;

/// <summary>Permits between a throttler and a loop that the test moves.</summary>
public sealed class ActorPermitsTests : Akka.TestKit.Xunit2.TestKit
{
    private readonly LoopByHand _hand = new();
    private readonly List<int> _granted = [];
    private readonly PermitLedger _ledger = new(1);
    private readonly ActorPermits _permits;
    private IActorRef _throttler = null!;

    public ActorPermitsTests()
        : base($"akka.loglevel = OFF\n{AkkaTimeouts.Hocon}")
    {
        var loop = new JournalLoop(TimeProvider.System, _hand, defect => Assert.Fail(defect.ToString()));
        _permits = new(loop, grant => _throttler = ((ExtendedActorSystem)Sys).SystemActorOf(
            QueryThrottler.Props(new() { Ledger = _ledger, Tokens = null, Now = () => loop.Now, Grant = grant, Stopped = () => { } }), "throttler"));
    }

    [Fact]
    public async Task A_grant_is_delivered_on_the_loop()
    {
        _permits.Request(Slot(1));
        await FenceAsync();
        Assert.Empty(_granted);

        _hand.Move();
        Assert.Equal([1], _granted);
    }

    [Fact]
    public async Task A_request_that_is_returned_while_its_grant_is_in_flight_is_not_granted()
    {
        var first = Slot(1);
        _permits.Request(first);
        _permits.Request(Slot(2));
        await FenceAsync();
        Assert.Equal(PermitState.Held, first.State);

        _permits.Return(first);
        _hand.Move();
        // The grant of the next slot may have arrived already.
        Assert.DoesNotContain(1, _granted);

        await FenceAsync();
        _hand.Move();
        Assert.Equal([2], _granted);
        Assert.Equal((1, 0), (_ledger.Held, _ledger.Waiting));
    }

    [Fact]
    public async Task A_request_that_is_returned_in_the_queue_is_skipped()
    {
        var (first, second) = (Slot(1), Slot(2));
        _permits.Request(first);
        _permits.Request(second);
        _permits.Request(Slot(3));
        _permits.Return(second);
        _permits.Return(first);
        await FenceAsync();
        _hand.Move();
        Assert.Equal([3], _granted);
    }

    [Fact]
    public async Task A_slot_that_requests_twice_has_one_place_in_the_queue_and_one_permit()
    {
        var first = Slot(1);
        _permits.Request(first);
        _permits.Request(first);
        await FenceAsync();
        _hand.Move();
        Assert.Equal([1], _granted);

        _permits.Return(first);
        await FenceAsync();
        Assert.Equal((0, 0), (_ledger.Held, _ledger.Waiting));
    }

    [Fact]
    public async Task Disposal_stops_the_throttler()
    {
        Watch(_throttler);
        _permits.Dispose();
        await ExpectTerminatedAsync(_throttler);
    }

    private StatementSlot Slot(int number) => new(_ => _granted.Add(number));

    private async Task FenceAsync()
    {
        _throttler.Tell(new Identify(1), TestActor);
        await ExpectMsgAsync<ActorIdentity>();
    }

    private sealed class LoopByHand : ILoopScheduler
    {
        private readonly List<IThreadPoolWorkItem> _work = [];

        public void Run(IThreadPoolWorkItem work)
        {
            lock (_work)
                _work.Add(work);
        }

        internal void Move()
        {
            List<IThreadPoolWorkItem> work;
            lock (_work)
            {
                work = [.. _work];
                _work.Clear();
            }
            work.ForEach(each => each.Execute());
        }
    }
}
