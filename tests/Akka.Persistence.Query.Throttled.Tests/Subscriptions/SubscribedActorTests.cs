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
        var actor = Sys.ActorOf(Props.Create(() => new Counter(journal, TestActor, true, store, 3)));
        // The third event fails once, and comes again.
        foreach (var number in (long[])[1, 2, 3, 4, 5])
            await ExpectMsgAsync(number);
        await AppendAsync(Stored(6, new Kept(6)));
        await ExpectMsgAsync(6L);
        // The answer comes after all that was in the mailbox before.
        actor.Tell("hello");
        await ExpectMsgAsync("hello after 6");
        Assert.Equal((2, 2), (store.Starts, store.Queries));
    }

    [Fact]
    public async Task A_resumed_actor_skips_the_event_that_failed_and_handles_each_later_event_once()
    {
        await AppendAsync([.. Enumerable.Range(1, 20).Select(number => Stored(number, new Kept(number)))]);
        var journal = Open("max-buffer-size = 7");
        // When the third event fails, all later events are in the mailbox.
        var store = new Store { FailsAt = 3, WaitingMessages = 2 };
        Resumed(Props.Create(() => new Counter(journal, TestActor, true, store, 100)));
        for (var number = 1L; number <= 20; number++)
        {
            if (number != 3)
                await ExpectMsgAsync(number);
        }
        await AppendAsync(Stored(21, new Kept(21)));
        await ExpectMsgAsync(21L);
        Assert.Equal((1, 2), (store.Starts, store.Queries));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public async Task A_resumed_actor_requests_events_again(int queryFailsAt)
    {
        await AppendAsync([.. Enumerable.Range(1, 20).Select(number => Stored(number, new Kept(number)))]);
        var journal = Open();
        var store = new Store { FailsAt = 3, QueryFailsAt = queryFailsAt };
        Resumed(Props.Create(() => new Counter(journal, TestActor, false, store, 3)));
        for (var number = 1L; number <= 20; number++)
        {
            if (number != 3)
                await ExpectMsgAsync(number);
        }
    }

    [Fact]
    public async Task After_Unsubscribe_no_event_is_handled_until_Subscribe()
    {
        await AppendAsync([.. Enumerable.Range(1, 5).Select(number => Stored(number, new Kept(number)))]);
        var journal = Open("max-buffer-size = 4");
        var store = new Store { LeavesAt = 2, WaitingMessages = 1 };
        var actor = Sys.ActorOf(Props.Create(() => new Counter(journal, TestActor, true, store, 100)));
        await ExpectMsgAsync(1L);
        await ExpectMsgAsync(2L);
        actor.Tell("hello");
        await ExpectMsgAsync("hello after 2");
        actor.Tell(Counter.Again);
        foreach (var number in (long[])[3, 4, 5])
            await ExpectMsgAsync(number);
    }

    [Fact]
    public async Task An_actor_that_stops_itself_handles_no_further_event_after_Unsubscribe()
    {
        await AppendAsync([.. Enumerable.Range(1, 5).Select(number => Stored(number, new Kept(number)))]);
        var journal = Open();
        var store = new Store { LeavesAt = 2, IsStopping = true };
        var actor = Watch(Sys.ActorOf(Props.Create(() => new Counter(journal, TestActor, true, store, 100))));
        await ExpectMsgAsync(1L);
        await ExpectMsgAsync(2L);
        await ExpectTerminatedAsync(actor);
    }

    [Theory]
    [InlineData(false, false, 0, 2)]
    [InlineData(true, false, 0, 1)]
    [InlineData(false, true, 0, 1)]
    [InlineData(true, true, 2, 1)]
    public async Task After_a_failure_it_continues_after_the_last_event(bool isResubscribing, bool isResumed, int queryFailsAt, int starts)
    {
        await AppendAsync(Stored(1, new Kept(1)), Stored(2, new Kept(2)));
        var journal = Open();
        var store = new Store { IsResubscribing = isResubscribing, QueryFailsAt = queryFailsAt };
        var counter = Props.Create(() => new Counter(journal, TestActor, true, store, 3));
        if (isResumed)
            Resumed(counter);
        else
            Sys.ActorOf(counter);
        await ExpectMsgAsync(1L);
        await ExpectMsgAsync(2L);
        var engine = journal.Engine;
        engine.Parts().Journal.Loop.Post(_ => throw new InvalidOperationException("A defect."), journal);
        await Wait.UntilAsync(() => journal.Engine != engine, "the next engine");
        await AppendAsync(Stored(3, new Kept(3)));
        await ExpectMsgAsync(3L);
        Assert.Equal((starts, queryFailsAt > 0 ? 3 : 2), (store.Starts, store.Queries));
    }

    [Fact]
    public async Task In_a_regular_shutdown_no_actor_fails()
    {
        await using var system = new ConfiguredSystem(
            $"{Hocon.Journal($"connection-string = \"{ConnectionString}\"")}\nakka.coordinated-shutdown.phases.before-actor-system-terminate.timeout = 90s");
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

    private void Resumed(Props child) => Sys.ActorOf(Props.Create(() => new Resuming(child)));

    /// <summary>What survives a restart of the actor.</summary>
    private sealed class Store
    {
        private int _starts;
        private int _failures;
        private int _queries;

        internal long Last { get; set; }

        internal long FailsAt { get; set; }

        /// <summary>The event at which the actor calls Unsubscribe.</summary>
        internal long LeavesAt { get; init; }

        internal bool IsStopping { get; init; }

        /// <summary>The messages that wait in the mailbox before the actor fails or leaves.</summary>
        internal int WaitingMessages { get; init; }

        internal bool IsResubscribing { get; init; }

        internal int Starts => Volatile.Read(ref _starts);

        internal int Failures => Volatile.Read(ref _failures);

        internal int Queries => Volatile.Read(ref _queries);

        /// <summary>Which call of Query fails; 0 for none.</summary>
        internal int QueryFailsAt { get; init; }

        internal void Queried()
        {
            if (Interlocked.Increment(ref _queries) == QueryFailsAt)
                throw new InvalidOperationException("The query fails once.");
        }

        internal void Started() => Interlocked.Increment(ref _starts);

        internal void Failed() => Interlocked.Increment(ref _failures);
    }

    /// <summary>Tells the numbers of its events.</summary>
    private sealed class Counter(ThrottledReadJournal journal, IActorRef target, bool isLive, Store? store = null, int demand = 3)
        : SubscribedActor(journal, demand)
    {
        internal const string Again = "subscribe again";

        protected override void PreStart()
        {
            store?.Started();
            base.PreStart();
        }

        protected override Source<EventEnvelope, NotUsed> Query(ThrottledReadJournal journal, EventEnvelope? last)
        {
            store?.Queried();
            var next = (last?.SequenceNr ?? store?.Last ?? 0) + 1;
            return isLive ? journal.EventsByPersistenceId("a", next, long.MaxValue) : journal.CurrentEventsByPersistenceId("a", next, long.MaxValue);
        }

        protected override void Handle(EventEnvelope envelope)
        {
            if (envelope.SequenceNr == store?.FailsAt)
            {
                store.FailsAt = 0;
                AwaitMessages(store.WaitingMessages);
                throw new InvalidOperationException("The handler fails once.");
            }
            store?.Last = envelope.SequenceNr;
            target.Tell(envelope.SequenceNr);
            if (envelope.SequenceNr == store?.LeavesAt)
                Leave(store);
        }

        protected override void OnMessage(object message)
        {
            if (message is Again)
                Subscribe();
            else
                target.Tell($"{message} after {LastEvent?.SequenceNr}");
        }

        protected override void OnFailed(Exception cause)
        {
            store?.Failed();
            if (store is { IsResubscribing: true })
                Subscribe();
            else
                base.OnFailed(cause);
        }

        private void Leave(Store store)
        {
            AwaitMessages(store.WaitingMessages);
            Unsubscribe();
            if (store.IsStopping)
                Context.Stop(Self);
        }

        private static void AwaitMessages(int count)
        {
            var cell = (ActorCell)Context;
            SpinWait.SpinUntil(() => cell.NumberOfMessages >= count);
        }
    }

    /// <summary>Resumes its child whatever happens.</summary>
    private sealed class Resuming : UntypedActor
    {
        public Resuming(Props child) => Context.ActorOf(child);

        protected override SupervisorStrategy SupervisorStrategy() => new OneForOneStrategy(_ => Directive.Resume);

        protected override void OnReceive(object message) => Unhandled(message);
    }
}
