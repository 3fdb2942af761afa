using Akka.Actor;
using Akka.Event;
using Throttled.Journal.Loop;

namespace Akka.Persistence.Query.Throttled;

/// <summary>
/// A running query that tells its items to an actor, the receiver. <see cref="ThrottledReadJournal.Subscribe(Akka.Streams.Dsl.Source{EventEnvelope, NotUsed}, IActorRef, long)"/>
/// creates it. The receiver gets <see cref="EventsDelivered"/> or <see cref="PersistenceIdsDelivered"/>, never with more items than were requested. Then
/// it gets <see cref="SubscriptionCompleted"/> or <see cref="SubscriptionFailed"/> once, unless it was cancelled. It ends with its receiver. Thread-safe.
/// </summary>
public abstract class Subscription : ILinked<Subscription>
{
    /// <summary>
    /// The path of a mailbox for actors that are very many: an empty one takes some 70 bytes, the default mailbox of Akka.NET some 1,100. Use it as
    /// <c>props.WithMailbox(Subscription.CompactMailbox)</c>, once for all actors, after the read journal was opened. It is unbounded. It does not suit
    /// actors that stash.
    /// </summary>
    public const string CompactMailbox = "akka.persistence.query.compact-mailbox";

    private protected Subscription(IActorRef receiver) => Receiver = receiver;

    LinkedQueue<Subscription>? ILinked<Subscription>.Queue { get; set; }

    Subscription? ILinked<Subscription>.Previous { get; set; }

    Subscription? ILinked<Subscription>.Next { get; set; }

    internal IActorRef Receiver { get; }

    /// <summary>
    /// Requests more items, in addition to those that were requested before. Items that an event adapter makes of one event count one by one. Without
    /// effect if the subscription has ended.
    /// </summary>
    /// <param name="count">
    /// The number of items, at least 1. The sum of all requests that are not delivered yet has no upper limit: from <see cref="long.MaxValue"/> on, all
    /// items are delivered as they come.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The number is below 1.</exception>
    public abstract void Request(long count);

    /// <summary>
    /// Ends the subscription. Its permit is returned, and no message tells the end. Messages that were told before, and one that is being told now, still
    /// arrive; compare their <c>Subscription</c> to recognise them. Without effect if the subscription has ended.
    /// </summary>
    public abstract void Cancel();

    /// <summary>The receiver's path, for logs.</summary>
    public override string ToString() => $"subscription of {Receiver.Path}";

    // What a dead letter shows.
    internal string Describe<T>(string name, IReadOnlyList<T> items, Func<T, FormattableString> format) => FormattableString.Invariant(
        $"{name} of the {this}, {items.Count}: {string.Join(" to ", items.Take(1).Concat(items.TakeLast(1)).Select(format).Select(FormattableString.Invariant))}");
}

// A subscription is an object of this process, so its messages are not serialized. A bounded mailbox may drop a delivery: only the dead letter shows it.

/// <summary>Events of a subscription, in the order of its query.</summary>
/// <param name="Subscription">The subscription.</param>
/// <param name="Events">The events: at least one, and at most as many as were requested.</param>
public sealed record EventsDelivered(Subscription Subscription, IReadOnlyList<EventEnvelope> Events) : INoSerializationVerificationNeeded
{
    /// <summary>The receiver, and the number of events with the first and the last one, for logs.</summary>
    public override string ToString() => Subscription.Describe(nameof(EventsDelivered), Events, each => $"'{each.PersistenceId}' {each.SequenceNr}");
}

/// <summary>Persistence ids of a subscription. Each comes once, in no particular order.</summary>
/// <param name="Subscription">The subscription.</param>
/// <param name="PersistenceIds">The ids: at least one, and at most as many as were requested.</param>
public sealed record PersistenceIdsDelivered(Subscription Subscription, IReadOnlyList<string> PersistenceIds) : INoSerializationVerificationNeeded
{
    /// <summary>The receiver, and the number of ids with the first and the last one, for logs.</summary>
    public override string ToString() => Subscription.Describe(nameof(PersistenceIdsDelivered), PersistenceIds, each => $"'{each}'");
}

/// <summary>
/// The last message of a subscription: its query has no more items. A live query completes in the last phase of <see cref="CoordinatedShutdown"/> in which
/// user actors run. The system may then stop the receiver before it handles this message.
/// </summary>
/// <param name="Subscription">The subscription.</param>
public sealed record SubscriptionCompleted(Subscription Subscription) : INoSerializationVerificationNeeded, IDeadLetterSuppression;

/// <summary>The last message of a subscription: its query failed. All events that were read before the failure have been delivered.</summary>
/// <param name="Subscription">The subscription.</param>
/// <param name="Cause">The exception with which a stream of the same query would fail; see <see cref="ThrottledReadJournal"/>.</param>
public sealed record SubscriptionFailed(Subscription Subscription, Exception Cause) : INoSerializationVerificationNeeded;
