using Akka.Actor;
using Akka.Event;
using Throttled.Journal.Loop;

namespace Akka.Persistence.Query.Throttled.Subscriptions;

/// <summary>Cancels the subscriptions of a journal whose receiver is dead. It watches each receiver once, however many subscriptions it has.</summary>
internal sealed class ReceiverWatcher : UntypedActor
{
    private readonly Dictionary<IActorRef, LinkedQueue<Subscription>> _receivers = [];

    internal static Props Props() => Akka.Actor.Props.Create<ReceiverWatcher>().WithDispatcher("akka.actor.internal-dispatcher");

    protected override void OnReceive(object message)
    {
        switch (message)
        {
            case WatchReceiver(var subscription):
                Watch(subscription);
                break;
            case UnwatchReceiver(var subscription):
                Unwatch(subscription);
                break;
            case Terminated { ActorRef: var receiver } when _receivers.Remove(receiver, out var subscriptions):
                while (subscriptions.TakeFirst() is { } subscription)
                    subscription.Cancel();
                break;
        }
    }

    // A receiver that is dead already answers with its termination.
    private void Watch(Subscription subscription)
    {
        if (!_receivers.TryGetValue(subscription.Receiver, out var subscriptions))
        {
            _receivers.Add(subscription.Receiver, subscriptions = new());
            Context.Watch(subscription.Receiver);
        }
        subscriptions.Enqueue(subscription);
    }

    private void Unwatch(Subscription subscription)
    {
        if (!_receivers.TryGetValue(subscription.Receiver, out var subscriptions) || !subscriptions.Remove(subscription) || subscriptions.Count > 0)
            return;
        _receivers.Remove(subscription.Receiver);
        Context.Unwatch(subscription.Receiver);
    }
}

// A watcher ends with its actor system, and subscriptions may end after it.

/// <summary>A subscription begins.</summary>
internal sealed record WatchReceiver(Subscription Subscription) : IDeadLetterSuppression, INoSerializationVerificationNeeded;

/// <summary>A subscription has ended. Harmless if its receiver is dead.</summary>
internal sealed record UnwatchReceiver(Subscription Subscription) : IDeadLetterSuppression, INoSerializationVerificationNeeded;
