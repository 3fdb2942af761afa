using Akka.Actor;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Subscriptions;
using Akka.Persistence.Query.Throttled.Tests.Envelopes;
using Akka.Streams.Dsl;
using Akka.Streams.Supervision;
using Throttled.Testing.Scripted;

namespace Akka.Persistence.Query.Throttled.Tests.Subscriptions;

/// <summary>What only subscriptions have: messages, receivers, refusals. What they share with streams is in the tests of streams.</summary>
public sealed class SubscriptionTests() : EnvelopeKit("""
    akka.actor.serialize-messages = on
    small-mailbox { mailbox-type = "Akka.Dispatch.BoundedMailbox, Akka", mailbox-capacity = 1, mailbox-push-timeout-time = 0s }
    """)
{
    private const string NotAQuery =
        "The source is not a query as this read journal returned it. Pass the result of a query method of this journal, without operators; only AddAttributes is allowed. "
        + "To use operators, run a stream. (Parameter 'query')";

    [Fact]
    public async Task An_actor_gets_events_a_page_at_a_time_as_it_requests_them_and_then_the_end()
    {
        await AppendAsync([.. Enumerable.Range(1, 5).Select(number => Stored(number, new Kept(number)))]);
        var journal = Open("max-buffer-size = 3");
        var subscription = journal.Subscribe(journal.CurrentEventsByTag("tag", Offset.NoOffset()), TestActor, demand: 1);
        await ExpectAsync(subscription, 1);
        subscription.Request(1);
        await ExpectAsync(subscription, 2);
        subscription.Request(100);
        await ExpectAsync(subscription, 3);
        await ExpectAsync(subscription, 4, 5);
        Assert.Same(subscription, (await ExpectMsgAsync<SubscriptionCompleted>()).Subscription);
        subscription.Request(1);
        subscription.Cancel();
        // The next messages are those of a query that began later.
        var later = journal.Subscribe(journal.CurrentEventsByTag("tag", Offset.NoOffset()), TestActor, demand: 1);
        await ExpectAsync(later, 1);
        later.Request(100);
        await ExpectAsync(later, 2, 3);
        await ExpectAsync(later, 4, 5);
        Assert.Same(later, (await ExpectMsgAsync<SubscriptionCompleted>()).Subscription);
    }

    [Fact]
    public async Task An_actor_gets_persistence_ids()
    {
        await AppendAsync(Stored(1, new Kept(1)));
        var journal = Open();
        var subscription = journal.Subscribe(journal.CurrentPersistenceIds(), TestActor, long.MaxValue);
        var delivered = await ExpectMsgAsync<PersistenceIdsDelivered>();
        Assert.Equal(["a"], delivered.PersistenceIds);
        Assert.Same(subscription, delivered.Subscription);
        Assert.Same(subscription, (await ExpectMsgAsync<SubscriptionCompleted>()).Subscription);
    }

    [Fact]
    public async Task A_failure_is_told_after_the_events_before_it()
    {
        await AppendAsync(Stored(1, new Kept(1)), new JournalEvent { PersistenceId = "a", SequenceNumber = 2, Payload = new byte[1], SerializerId = 999, Manifest = "none" });
        var journal = Open();
        var subscription = journal.Subscribe(journal.EventsByPersistenceId("a", 0, long.MaxValue), TestActor, 10);
        await ExpectAsync(subscription, 1);
        var failed = await ExpectMsgAsync<SubscriptionFailed>();
        Assert.Same(subscription, failed.Subscription);
        Assert.Equal(2, Assert.IsType<UndecodableEventException>(failed.Cause).SequenceNr);
    }

    [Fact]
    public async Task A_delivery_or_failure_that_a_full_mailbox_drops_is_a_dead_letter()
    {
        await AppendAsync(
            Stored(1, new Kept(1)), Stored(2, new Kept(2)), new JournalEvent { PersistenceId = "a", SequenceNumber = 3, Payload = new byte[1], SerializerId = 999, Manifest = "none" });
        var journal = Open("max-buffer-size = 1");
        Sys.EventStream.Subscribe(TestActor, typeof(DeadLetter));
        TaskCompletionSource busy = new(TaskCreationOptions.RunContinuationsAsynchronously), end = new(TaskCreationOptions.RunContinuationsAsynchronously);
        var receiver = Sys.ActorOf(Props.Create(() => new BusyActor(busy, end.Task)).WithMailbox("small-mailbox"));
        receiver.Tell("a message that is handled until the end");
        await busy.Task.WithinAsync("the first message is being handled");
        receiver.Tell("the only message with room");
        journal.Subscribe(journal.CurrentEventsByPersistenceId("a", 0, long.MaxValue), receiver, long.MaxValue);
        Assert.Equal(1, Assert.Single((await DroppedAsync<EventsDelivered>()).Events).SequenceNr);
        Assert.Equal(2, Assert.Single((await DroppedAsync<EventsDelivered>()).Events).SequenceNr);
        Assert.IsType<UndecodableEventException>((await DroppedAsync<SubscriptionFailed>()).Cause);
        journal.Subscribe(journal.CurrentPersistenceIds(), receiver, long.MaxValue);
        Assert.Equal(["a"], (await DroppedAsync<PersistenceIdsDelivered>()).PersistenceIds);
        end.SetResult();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    public async Task A_request_below_1_is_an_error_of_its_caller_and_the_subscription_goes_on(long count)
    {
        await AppendAsync(Stored(1, new Kept(1)));
        var journal = Open();
        var subscription = journal.Subscribe(journal.AllEvents(Offset.NoOffset()), TestActor, 0);
        var error = Assert.Throws<ArgumentOutOfRangeException>(() => subscription.Request(count));
        Assert.StartsWith($"The number of requested items is {count}; it must be at least 1.", error.Message, StringComparison.Ordinal);
        subscription.Request(1);
        await ExpectAsync(subscription, 1);
    }

    [Fact]
    public async Task Requests_that_overflow_request_everything()
    {
        await AppendAsync(Stored(1, new Kept(1)), Stored(2, new Kept(2)));
        var journal = Open("max-buffer-size = 1");
        var subscription = journal.Subscribe(journal.AllEvents(Offset.NoOffset()), TestActor, long.MaxValue - 1);
        subscription.Request(long.MaxValue);
        await ExpectAsync(subscription, 1);
        await ExpectAsync(subscription, 2);
    }

    [Fact]
    public void What_is_no_query_of_the_journal_is_refused()
    {
        var (journal, other) = (Open(), Open());
        foreach (var source in (Source<EventEnvelope, NotUsed>[])[
            journal.AllEvents(Offset.NoOffset()).Take(1), other.AllEvents(Offset.NoOffset()), Source.Empty<EventEnvelope>()])
            Assert.Equal(NotAQuery, Assert.Throws<ArgumentException>(() => journal.Subscribe(source, TestActor, 1)).Message);
        Assert.Throws<ArgumentNullException>(() => journal.Subscribe((Source<string, NotUsed>)null!, TestActor, 1));
    }

    [Fact]
    public void A_receiver_that_cannot_get_messages_and_a_negative_demand_are_refused()
    {
        var journal = Open();
        var query = journal.PersistenceIds();
        Assert.Throws<ArgumentNullException>(() => journal.Subscribe(query, null!, 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => journal.Subscribe(query, TestActor, -1));
        Assert.Equal(
            "The receiver is Nobody. Pass the actor that handles the messages. (Parameter 'receiver')",
            Assert.Throws<ArgumentException>(() => journal.Subscribe(query, ActorRefs.Nobody, 1)).Message);
        var remote = new RecordingRef(_ => { }, isLocal: false);
        Assert.Equal(
            "The receiver akka://test/recording is on another node. A subscription delivers within its process: subscribe on the receiver's node, or use the cluster's feed "
            + "(docs/cluster-feed.md). (Parameter 'receiver')",
            Assert.Throws<ArgumentException>(() => journal.Subscribe(query, remote, 1)).Message);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task After_the_actor_system_no_subscription_begins(bool hadOne)
    {
        var journal = Open();
        var query = journal.PersistenceIds();
        if (hadOne)
            journal.Subscribe(query, TestActor, 1);
        await Sys.Terminate();
        Assert.Throws<JournalClosedException>(() => journal.Subscribe(query, TestActor, 1));
    }

    // The watch, the feed and the actor come on top; `./build.sh crush --memory` measures them all.
    [Fact]
    public void A_subscription_is_small()
    {
        var journal = new JournalSubscriptions(null, () => ActorRefs.Nobody, new ManualScheduler());
        var query = new SimulatedQuery(new(1));
        var receiver = new RecordingRef(_ => { });
        Start();
        var before = GC.GetAllocatedBytesForCurrentThread();
        Start();
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 100, 300);

        void Start() => GC.KeepAlive(new QuerySubscription<JournalEvent, string>(
            new(journal, receiver, 0, static (_, items) => items, Deciders.StoppingDecider), query.Open, query, isLive: true).Start());
    }

    private async Task<T> DroppedAsync<T>() => Assert.IsType<T>((await ExpectMsgAsync<DeadLetter>()).Message);

    private async Task ExpectAsync(Subscription subscription, params long[] numbers)
    {
        var delivered = await ExpectMsgAsync<EventsDelivered>();
        Assert.Same(subscription, delivered.Subscription);
        Assert.Equal(numbers, delivered.Events.Select(each => each.SequenceNr));
        Assert.Equal(numbers.Select(number => new Kept((int)number)), delivered.Events.Select(each => each.Event));
    }

    private sealed class BusyActor : ReceiveActor
    {
        public BusyActor(TaskCompletionSource busy, Task end) => ReceiveAnyAsync(_ =>
        {
            busy.TrySetResult();
            return end;
        });
    }
}
