using Akka.Actor;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Documents;

// docs/subscriptions.md
internal sealed class OrderCounter(ThrottledReadJournal journal, Offset stored) : SubscribedActor(journal)
{
    private long _orders;

    protected override Source<EventEnvelope, NotUsed> Query(ThrottledReadJournal journal, EventEnvelope? last) =>
        journal.EventsByTag("order", last?.Offset ?? stored);

    protected override void Handle(EventEnvelope envelope) => _orders++;

    protected override void OnMessage(object message) => Sender.Tell(_orders);
}

// docs/subscriptions.md
internal sealed class AccountView : ReceiveActor
{
    private readonly Subscription _subscription;
    private object? _latest;

    public AccountView(ThrottledReadJournal journal, string persistenceId)
    {
        Receive<EventsDelivered>(delivered =>
        {
            // A former instance had another subscription.
            if (delivered.Subscription != _subscription)
                return;
            _latest = delivered.Events[^1].Event;
            _subscription.Request(delivered.Events.Count);
        });
        Receive<SubscriptionFailed>(failed =>
        {
            if (failed.Subscription == _subscription)
                throw failed.Cause;
        });
        Receive<string>(_ => Sender.Tell(_latest ?? "none"));
        _subscription = journal.Subscribe(journal.EventsByPersistenceId(persistenceId, 0, long.MaxValue), Self, demand: 100);
    }

    protected override void PostStop() => _subscription.Cancel();
}
