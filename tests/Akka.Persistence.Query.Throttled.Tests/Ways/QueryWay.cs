using System.Runtime.CompilerServices;
using Akka.Actor;
using Akka.Persistence.Query.Throttled.Subscriptions;
using Akka.Streams;
using Akka.Streams.Dsl;
using Reactive.Streams;

namespace Akka.Persistence.Query.Throttled.Tests.Ways;

/// <summary>The tests of a subclass with this interface run each query as a subscription; the base class runs streams.</summary>
public interface IBySubscription;

/// <summary>How a test runs a query. The results must be the same.</summary>
internal abstract class QueryWay
{
    internal static QueryWay Of(object test, ActorSystem system, IMaterializer? materializer = null) =>
        test is IBySubscription ? new SubscriptionWay(system.ActorOf) : new StreamWay(materializer ?? system.Materializer());

    internal abstract QueryProbe<T> Run<T>(Source<T, NotUsed> query)
        where T : class;

    /// <summary>Reads a number of items and then cancels; without a number, the query must end by itself.</summary>
    internal async Task<IReadOnlyList<T>> ReadAsync<T>(Source<T, NotUsed> query, int? count = null)
        where T : class => await ItemsAsync(query).Take(count ?? int.MaxValue).ToListAsync().AsTask().WithinAsync($"{count?.ToString() ?? "all"} items of {query}");

    /// <summary>Reads an endless number of items. The query is cancelled with the enumeration.</summary>
    internal async IAsyncEnumerable<T> ItemsAsync<T>(Source<T, NotUsed> query, [EnumeratorCancellation] CancellationToken cancellation = default)
        where T : class
    {
        var probe = Run(query);
        await probe.RequestAsync(long.MaxValue);
        try
        {
            await foreach (var item in probe.ItemsAsync(cancellation))
                yield return item;
        }
        finally
        {
            await probe.CancelAsync();
        }
    }

    /// <summary>Reads until the query fails.</summary>
    internal async Task<Exception> FailureAsync<T>(Source<T, NotUsed> query)
        where T : class => await Assert.ThrowsAnyAsync<Exception>(async () => await ItemsAsync(query).CountAsync().AsTask().WithinAsync($"the failure of {query}"));
}

internal sealed class StreamWay(IMaterializer materializer) : QueryWay
{
    internal override QueryProbe<T> Run<T>(Source<T, NotUsed> query)
    {
        var probe = new QueryProbe<T>();
        query.RunWith(Sink.FromSubscriber(probe), materializer);
        return probe;
    }
}

/// <param name="start">Starts the receiver of a subscription.</param>
internal sealed class SubscriptionWay(Func<Props, string?, IActorRef> start) : QueryWay
{
    internal override QueryProbe<T> Run<T>(Source<T, NotUsed> query) => Run(query, out _);

    internal QueryProbe<T> Run<T>(Source<T, NotUsed> query, out IActorRef receiver)
        where T : class
    {
        var probe = new QueryProbe<T>();
        receiver = start(Props.Create<ProbeReceiver<T>>(probe), null);
        var subscriptions = query.Module.Attributes.GetAttribute<ISubscribable<T>>(null!)!.Journal!;
        var subscription = subscriptions.Subscribe(query, receiver, 0, static (from, items) => new ItemsDelivered<T>(from, items));
        ((ISubscriber<T>)probe).OnSubscribe(new ProbeSubscription(subscription));
        return probe;
    }

    /// <summary>The items of any query.</summary>
    private sealed record ItemsDelivered<T>(Subscription Subscription, IReadOnlyList<T> Items) : INoSerializationVerificationNeeded;

    private sealed class ProbeSubscription(Subscription subscription) : ISubscription
    {
        public void Request(long n) => subscription.Request(n);

        public void Cancel() => subscription.Cancel();
    }

    private sealed class ProbeReceiver<T>(ISubscriber<T> probe) : UntypedActor
    {
        // The end of a receiver is the end of its subscription, which nobody else can see.
        protected override void PostStop() => probe.OnError(new ReceiverStoppedException());

        protected override void OnReceive(object message)
        {
            switch (message)
            {
                case ItemsDelivered<T> { Items: var items }:
                    Assert.NotEmpty(items);
                    foreach (var item in items)
                        probe.OnNext(item);
                    break;
                case SubscriptionCompleted:
                    probe.OnComplete();
                    break;
                case SubscriptionFailed { Cause: var cause }:
                    probe.OnError(cause);
                    break;
            }
        }
    }
}

/// <summary>A receiver has stopped before it handled the end of its subscription. A terminating system may do that.</summary>
internal sealed class ReceiverStoppedException() : Exception("The receiver has stopped.");
