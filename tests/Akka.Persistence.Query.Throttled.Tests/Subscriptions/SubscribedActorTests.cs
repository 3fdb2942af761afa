using Akka.Actor;
using Akka.Persistence.Query.Throttled.Tests.Envelopes;
using Akka.Persistence.Query.Throttled.Tests.Settings;
using Akka.Streams.Dsl;
using Throttled.Testing.Scripted;

namespace Akka.Persistence.Query.Throttled.Tests.Subscriptions;

public sealed class SubscribedActorTests : EnvelopeKit
{
    [Fact]
    public async Task It_handles_each_event_once_and_stops_with_its_query()
    {
        await AppendAsync([.. Enumerable.Range(1, 20).Select(number => Stored(number, new Kept(number)))]);
        var journal = Open("max-buffer-size = 7");
        var actor = Sys.ActorOf(Props.Create(() => new Counter(journal, TestActor, false)));
        Watch(actor);
        for (var number = 1L; number <= 20; number++)
            await ExpectMsgAsync(number);
        await ExpectTerminatedAsync(actor);
    }

    [Fact]
    public async Task It_handles_live_events_and_other_messages()
    {
        await AppendAsync(Stored(1, new Kept(1)));
        var journal = Open();
        var actor = Sys.ActorOf(Props.Create(() => new Counter(journal, TestActor, true)));
        await ExpectMsgAsync(1L);
        actor.Tell("hello");
        await ExpectMsgAsync("hello after 1");
        await AppendAsync(Stored(2, new Kept(2)));
        await ExpectMsgAsync(2L);
    }

    [Fact]
    public async Task A_new_instance_begins_at_the_stored_offset_and_gets_nothing_of_the_old_subscription()
    {
        await AppendAsync([.. Enumerable.Range(1, 5).Select(number => Stored(number, new Kept(number)))]);
        var journal = Open("max-buffer-size = 2");
        var store = new Store { FailsAt = 3 };
        Sys.ActorOf(Props.Create(() => new Counter(journal, TestActor, true, store)));
        // The third event fails once, and comes again.
        foreach (var number in (long[])[1, 2, 3, 4, 5])
            await ExpectMsgAsync(number);
        await AppendAsync(Stored(6, new Kept(6)));
        await ExpectMsgAsync(6L);
        await ExpectNoMsgAsync(TimeSpan.Zero);
        Assert.Equal(2, store.Starts);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task After_a_failure_it_continues_after_the_last_event(bool isResubscribing)
    {
        await AppendAsync(Stored(1, new Kept(1)), Stored(2, new Kept(2)));
        var journal = Open();
        var store = new Store { IsResubscribing = isResubscribing };
        Sys.ActorOf(Props.Create(() => new Counter(journal, TestActor, true, store)));
        await ExpectMsgAsync(1L);
        await ExpectMsgAsync(2L);
        var engine = journal.Engine;
        engine.Parts().Journal.Loop.Post(_ => throw new InvalidOperationException("A defect."), journal);
        await Wait.UntilAsync(() => journal.Engine != engine, "the next engine");
        await AppendAsync(Stored(3, new Kept(3)));
        await ExpectMsgAsync(3L);
        Assert.Equal(isResubscribing ? 1 : 2, store.Starts);
    }

    [Fact]
    public async Task In_a_regular_shutdown_no_actor_fails()
    {
        await using var system = new ConfiguredSystem(Hocon.Journal($"connection-string = \"{ConnectionString}\""));
        await AppendAsync(Stored(1, new Kept(1)));
        var journal = system.Open();
        var stores = Enumerable.Range(0, 200).Select(_ => new Store()).ToList();
        foreach (var store in stores)
            system.System.ActorOf(Props.Create(() => new Counter(journal, TestActor, true, store)));
        for (var i = 0; i < 200; i++)
            await ExpectMsgAsync(1L);
        await CoordinatedShutdown.Get(system.System).Run(CoordinatedShutdown.ClrExitReason.Instance).WithinAsync("the shutdown");
        Assert.All(stores, store => Assert.Equal((1, 0), (store.Starts, store.Failures)));
    }

    [Fact]
    public void A_demand_below_1_is_refused()
    {
        var journal = Open();
        Assert.Equal("demand", Assert.Throws<ArgumentOutOfRangeException>(() => new Counter(journal, TestActor, true, demand: 0)).ParamName);
        Assert.Throws<ArgumentNullException>(() => new Counter(null!, TestActor, true));
    }

    /// <summary>What survives a restart of the actor.</summary>
    private sealed class Store
    {
        private int _starts;
        private int _failures;

        internal long Last { get; set; }

        internal long FailsAt { get; set; }

        internal bool IsResubscribing { get; init; }

        internal int Starts => Volatile.Read(ref _starts);

        internal int Failures => Volatile.Read(ref _failures);

        internal void Started() => Interlocked.Increment(ref _starts);

        internal void Failed() => Interlocked.Increment(ref _failures);
    }

    /// <summary>Tells the numbers of its events.</summary>
    private sealed class Counter(ThrottledReadJournal journal, IActorRef target, bool isLive, Store? store = null, int demand = 3)
        : SubscribedActor(journal, demand)
    {
        protected override void PreStart()
        {
            store?.Started();
            base.PreStart();
        }

        protected override Source<EventEnvelope, NotUsed> Query(ThrottledReadJournal journal, EventEnvelope? last)
        {
            var next = (last?.SequenceNr ?? store?.Last ?? 0) + 1;
            return isLive ? journal.EventsByPersistenceId("a", next, long.MaxValue) : journal.CurrentEventsByPersistenceId("a", next, long.MaxValue);
        }

        protected override void Handle(EventEnvelope envelope)
        {
            if (store?.FailsAt == envelope.SequenceNr)
            {
                store.FailsAt = 0;
                throw new InvalidOperationException("The handler fails once.");
            }
            store?.Last = envelope.SequenceNr;
            target.Tell(envelope.SequenceNr);
        }

        protected override void OnMessage(object message) => target.Tell($"{message} after {LastEvent?.SequenceNr}");

        protected override void OnFailed(Exception cause)
        {
            store?.Failed();
            if (store is { IsResubscribing: true })
                Subscribe();
            else
                base.OnFailed(cause);
        }
    }
}
