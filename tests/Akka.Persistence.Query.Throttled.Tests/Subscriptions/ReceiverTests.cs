using System.Collections.Concurrent;
using Akka.Actor;
using Akka.Persistence.Query.Throttled.Subscriptions;
using Akka.Persistence.Query.Throttled.Tests.Streams;
using Akka.TestKit.TestActors;

namespace Akka.Persistence.Query.Throttled.Tests.Subscriptions;

/// <summary>A subscription ends with its receiver. One actor watches each receiver once.</summary>
public sealed class ReceiverTests : StreamKit
{
    [Fact]
    public async Task A_receiver_that_is_dead_from_the_start_ends_its_subscription()
    {
        await AppendAsync("a", 3);
        Open();
        var dead = Sys.ActorOf(BlackHoleActor.Props);
        Watch(dead);
        dead.Tell(PoisonPill.Instance);
        await ExpectTerminatedAsync(dead);
        Subscribe(Reader.EventsByPersistenceId("a"), dead, long.MaxValue);
        await AtRestAsync();
    }

    [Fact]
    public async Task All_subscriptions_of_a_receiver_end_with_it_and_others_go_on()
    {
        await AppendAsync("a", 3);
        Open();
        var (receiver, other) = (Sys.ActorOf(BlackHoleActor.Props), CreateTestProbe());
        for (var i = 0; i < 10; i++)
            Subscribe(i % 2 == 0 ? Reader.EventsByPersistenceId("a") : Reader.AllEvents(), receiver, long.MaxValue);
        Subscribe(Reader.EventsByPersistenceId("a"), other, long.MaxValue);
        await Meter.UntilFollowingAsync(11);
        receiver.Tell(PoisonPill.Instance);
        await Meter.UntilFollowingAsync(1);
        Assert.Equal(3, (await other.ExpectMsgAsync<List<JournalEvent>>()).Count);
        await AppendAsync("a", 1, from: 4);
        Assert.Single(await other.ExpectMsgAsync<List<JournalEvent>>());
        Sys.Stop(other);
        await AtRestAsync();
    }

    [Fact]
    public void A_receiver_is_watched_from_its_first_subscription_to_its_last()
    {
        var watcher = ActorOfAsTestActorRef<ReceiverWatcher>(Props.Create<ReceiverWatcher>());
        List<string> calls = [];
        var receiver = new RecordingRef(message => calls.Add(message.GetType().Name));
        var subscriptions = Enumerable.Range(0, 3).Select(_ => new CountedSubscription(receiver)).ToList();
        subscriptions.ForEach(each => watcher.Tell(new WatchReceiver(each)));
        Assert.Equal(["Watch"], calls);
        watcher.Tell(new UnwatchReceiver(subscriptions[0]));
        watcher.Tell(new UnwatchReceiver(subscriptions[0]));
        watcher.Tell(new UnwatchReceiver(subscriptions[2]));
        Assert.Equal(["Watch"], calls);
        watcher.Tell(new UnwatchReceiver(subscriptions[1]));
        Assert.Equal(["Watch", "Unwatch"], calls);
        Assert.All(subscriptions, each => Assert.Equal(0, each.Cancels));
    }

    [Fact]
    public async Task On_many_threads_events_come_once_in_order_and_no_more_than_were_requested()
    {
        const int subscriptions = 200;
        const int events = 200;
        var seed = Random.Shared.Next();
        var random = new Random(seed);
        await AppendAsync("a", events);
        Open(new() { MaxConcurrentQueries = 4, MaxBufferSize = 7 });
        var ended = new CountdownEvent(subscriptions);
        var wrong = new ConcurrentQueue<string>();
        for (var i = 0; i < subscriptions; i++)
        {
            var receiver = Sys.ActorOf(Props.Create<CheckingActor>(random.Next(), events, wrong, ended));
            receiver.Tell(Subscribe(i % 2 == 0 ? Reader.CurrentEventsByPersistenceId("a") : Reader.EventsByTag("tag"), receiver, 0));
        }
        await Wait.UntilAsync(() => ended.IsSet || !wrong.IsEmpty, () => $"the end of {ended.CurrentCount} receivers (seed {seed})");
        Assert.True(wrong.IsEmpty, $"Seed {seed}: {string.Join(Environment.NewLine, wrong.Take(5))}");
        await AtRestAsync();
    }

    private Subscription Subscribe(IAsyncEnumerable<JournalEvent> query, IActorRef receiver, long demand)
    {
        var source = Stream(query);
        return source.Module.Attributes.GetAttribute<ISubscribable<JournalEvent>>(null!)!.Journal!.Subscribe(source, receiver, demand, static (_, items) => items);
    }

    [Fact]
    public void A_log_of_dead_letters_names_receiver_and_items()
    {
        var subscription = new CountedSubscription(new RecordingRef(_ => { }));
        EventEnvelope[] events = [new(Offset.Sequence(7), "a", 3, "x", 0, []), new(Offset.Sequence(9), "b", 4, "y", 0, [])];
        Assert.Equal(
            "EventsDelivered of the subscription of akka://test/recording, 2: 'a' 3 to 'b' 4",
            new EventsDelivered(subscription, events).ToString());
        Assert.Equal(
            "PersistenceIdsDelivered of the subscription of akka://test/recording, 2: 'a' to 'b'",
            new PersistenceIdsDelivered(subscription, ["a", "b"]).ToString());
        Assert.Equal("SubscriptionCompleted { Subscription = subscription of akka://test/recording }", new SubscriptionCompleted(subscription).ToString());
    }

    /// <summary>Requests random numbers of events, some of them while others are told. Ends by its own death, by a cancel, or with its query.</summary>
    private sealed class CheckingActor(int seed, int events, ConcurrentQueue<string> wrong, CountdownEvent ended) : UntypedActor
    {
        private readonly Random _random = new(seed);
        private Subscription? _subscription;
        private long _requested;
        private long _last;

        protected override void OnReceive(object message)
        {
            switch (message)
            {
                case Subscription subscription:
                    _subscription = subscription;
                    Request();
                    break;
                case List<JournalEvent> delivered:
                    foreach (var each in delivered)
                        Check(each.SequenceNumber == ++_last && _last <= _requested, $"{each.SequenceNumber} in the place of {_last}; {_requested} were requested");
                    Continue();
                    break;
                case SubscriptionCompleted:
                    Check(_last == events, $"the end after {_last}");
                    Context.Stop(Self);
                    break;
                default:
                    Check(false, $"{message}");
                    break;
            }
        }

        protected override void PostStop() => ended.Signal();

        private void Continue()
        {
            if (_last == events || _random.Next(100) == 0)
            {
                if (_random.Next(2) == 0)
                    _subscription!.Cancel();
                Context.Stop(Self);
            }
            else if (_last == _requested || _random.Next(2) == 0)
                Request();
        }

        private void Request()
        {
            var count = _random.Next(1, 10);
            _requested += count;
            _subscription!.Request(count);
        }

        private void Check(bool isRight, string what)
        {
            if (!isRight)
                wrong.Enqueue(what);
        }
    }

    private sealed class CountedSubscription(IActorRef receiver) : Subscription(receiver)
    {
        internal int Cancels { get; private set; }

        public override void Request(long count) => throw new NotSupportedException();

        public override void Cancel() => Cancels++;
    }
}
