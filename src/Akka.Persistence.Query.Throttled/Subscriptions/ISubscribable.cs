using Akka.Actor;
using Akka.Persistence.Query.Throttled.Running;
using Akka.Streams;
using Akka.Streams.Dsl;
using Akka.Streams.Supervision;
using Throttled.Journal.Loop;
using Decider = Akka.Streams.Supervision.Decider;

namespace Akka.Persistence.Query.Throttled.Subscriptions;

/// <summary>A query that can tell its items to an actor. It is an attribute of its source, so operators on the source hide it.</summary>
internal interface ISubscribable<TOut> : Attributes.IAttribute
{
    /// <summary>The subscriptions of its journal; null in tests of a stage alone.</summary>
    JournalSubscriptions? Journal { get; }

    Subscription Subscribe(SubscriptionContext<TOut> context);
}

/// <summary>What a read journal's subscriptions share.</summary>
internal sealed class JournalSubscriptions(RunningQueries? running, Func<IActorRef> startWatcher, ILoopScheduler scheduler, Func<Exception?>? closed = null)
{
    // Most journals have only streams.
    private readonly Lazy<IActorRef> _watcher = new(startWatcher);

    /// <summary>Registers the runs; null in tests without a journal.</summary>
    internal RunningQueries? Running => running;

    /// <summary>Runs the decoding of pages.</summary>
    internal ILoopScheduler Scheduler => scheduler;

    internal IActorRef Watcher => _watcher.Value;

    /// <exception cref="ArgumentException">
    /// The source is not a query as this journal returned it, the receiver is nobody or on another node, or the demand is negative.
    /// </exception>
    /// <exception cref="JournalClosedException">The actor system has ended.</exception>
    internal Subscription Subscribe<TOut>(Source<TOut, NotUsed> query, IActorRef receiver, long demand, Func<Subscription, IReadOnlyList<TOut>, object> message)
    {
        ArgumentNullException.ThrowIfNull(query);
        ArgumentNullException.ThrowIfNull(receiver);
        if (demand < 0)
            throw new ArgumentOutOfRangeException(
                nameof(demand), demand, "'demand' must be at least 0. Pass how many items may come at first; 0 means none until 'Subscription.Request'.");
        if (receiver.IsNobody())
            throw new ArgumentException("The receiver is Nobody. Pass the actor that handles the messages.", nameof(receiver));
        if (receiver is IActorRefScope { IsLocal: false })
            throw new ArgumentException(
                $"The receiver {receiver.Path} is on another node. A subscription delivers within its process: subscribe on the receiver's node, or use the cluster's feed (docs/cluster-feed.md).",
                nameof(receiver));
        var attributes = query.Module.Attributes;
        if (attributes.GetAttribute<ISubscribable<TOut>>(null!) is not { } subscribable || subscribable.Journal != this)
            throw new ArgumentException(
                "The source is not a query as this read journal returned it. Pass the result of a query method of this journal, without operators; only AddAttributes is allowed. To use operators, run a stream.",
                nameof(query));
        if (closed?.Invoke() is { } error)
            throw error;
        return subscribable.Subscribe(new(this, receiver, demand, message, Subscribable.DeciderOf(attributes)));
    }
}

/// <param name="Journal">What the subscriptions of the journal share.</param>
/// <param name="Receiver">The actor that gets the messages.</param>
/// <param name="Demand">The items that are requested at the start.</param>
/// <param name="Message">Makes the message of some items.</param>
/// <param name="Decide">Decides about events that cannot be decoded.</param>
internal readonly record struct SubscriptionContext<TOut>(
    JournalSubscriptions Journal, IActorRef Receiver, long Demand, Func<Subscription, IReadOnlyList<TOut>, object> Message, Decider Decide);

internal static class Subscribable
{
    internal static Decider DeciderOf(Attributes attributes) =>
        attributes.GetAttribute<ActorAttributes.SupervisionStrategy>(null!)?.Decider ?? Deciders.StoppingDecider;
}
