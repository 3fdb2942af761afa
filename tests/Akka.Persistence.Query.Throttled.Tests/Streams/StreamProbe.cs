using System.Threading.Channels;
using Akka.Streams.Dsl;
using Reactive.Streams;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

/// <summary>A sink that the test controls: it requests elements for the test, and keeps them until the test takes them.</summary>
internal sealed class StreamProbe<T> : ISubscriber<T>
{
    private readonly TaskCompletionSource<ISubscription> _subscription = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Channel<Signal> _signals = Channel.CreateUnbounded<Signal>();

    private StreamProbe()
    {
    }

    /// <summary>A sink for one stream. It materialises to the probe.</summary>
    internal static Sink<T, StreamProbe<T>> Sink()
    {
        var probe = new StreamProbe<T>();
        return Akka.Streams.Dsl.Sink.FromSubscriber(probe).MapMaterializedValue(_ => probe);
    }

    internal Task<ISubscription> EnsureSubscriptionAsync() => _subscription.Task.WithinAsync("the subscription");

    internal async Task RequestAsync(int count) => (await EnsureSubscriptionAsync()).Request(count);

    internal async Task CancelAsync() => (await EnsureSubscriptionAsync()).Cancel();

    internal async Task<T> ExpectNextAsync() => Assert.IsType<Next>(await SignalAsync("an element")).Element;

    internal async Task<Exception> ExpectErrorAsync() => Assert.IsType<Failed>(await SignalAsync("the failure")).Error;

    internal async Task ExpectCompleteAsync() => Assert.IsType<Completed>(await SignalAsync("the end"));

    /// <summary>Asserts that there is no element that the test has not taken.</summary>
    internal void ExpectNoMsg() => Assert.False(_signals.Reader.TryRead(out var signal), $"{signal} has come.");

    void ISubscriber<T>.OnSubscribe(ISubscription subscription) => _subscription.SetResult(subscription);

    void ISubscriber<T>.OnNext(T element) => _signals.Writer.TryWrite(new Next(element));

    void ISubscriber<T>.OnError(Exception cause) => _signals.Writer.TryWrite(new Failed(cause));

    void ISubscriber<T>.OnComplete() => _signals.Writer.TryWrite(new Completed());

    private Task<Signal> SignalAsync(string what) => _signals.Reader.ReadAsync().AsTask().WithinAsync(what);

    private abstract record Signal;

    private sealed record Next(T Element) : Signal;

    private sealed record Failed(Exception Error) : Signal;

    private sealed record Completed : Signal;
}
