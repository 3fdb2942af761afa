using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Reactive.Streams;

namespace Akka.Persistence.Query.Throttled.Tests.Ways;

/// <summary>A subscriber that the test controls: it requests items for the test, and keeps them until the test takes them.</summary>
internal sealed class QueryProbe<T> : ISubscriber<T>
{
    private readonly TaskCompletionSource<ISubscription> _subscription = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Channel<Signal> _signals = Channel.CreateUnbounded<Signal>();
    private long _requested;

    internal Task<ISubscription> EnsureSubscriptionAsync() => _subscription.Task.WithinAsync("the subscription");

    internal async Task RequestAsync(long count)
    {
        var subscription = await EnsureSubscriptionAsync();
        Interlocked.Add(ref _requested, Math.Min(count, int.MaxValue));
        subscription.Request(count);
    }

    internal async Task CancelAsync() => (await EnsureSubscriptionAsync()).Cancel();

    internal async Task<T> ExpectNextAsync() => Assert.IsType<Next>(await SignalAsync("an item")).Item;

    internal async Task<Exception> ExpectErrorAsync() => Assert.IsType<Failed>(await SignalAsync("the failure")).Error;

    internal async Task ExpectCompleteAsync() => Assert.IsType<Completed>(await SignalAsync("the end"));

    /// <summary>Asserts that there is no signal that the test has not taken.</summary>
    internal void ExpectNoMsg() => Assert.False(_signals.Reader.TryRead(out var signal), $"{signal} has come.");

    /// <summary>The items until the end. Throws the failure.</summary>
    internal async IAsyncEnumerable<T> ItemsAsync([EnumeratorCancellation] CancellationToken cancellation = default)
    {
        while (await _signals.Reader.ReadAsync(cancellation) is not Completed and var signal)
            yield return signal is Next next ? next.Item : throw ((Failed)signal).Error;
    }

    void ISubscriber<T>.OnSubscribe(ISubscription subscription) => _subscription.SetResult(subscription);

    void ISubscriber<T>.OnNext(T element) => _signals.Writer.TryWrite(
        Interlocked.Decrement(ref _requested) >= 0 ? new Next(element) : new Failed(new InvalidOperationException($"{element} was not requested.")));

    void ISubscriber<T>.OnError(Exception cause) => _signals.Writer.TryWrite(new Failed(cause));

    void ISubscriber<T>.OnComplete() => _signals.Writer.TryWrite(new Completed());

    private Task<Signal> SignalAsync(string what) => _signals.Reader.ReadAsync().AsTask().WithinAsync(what);

    private abstract record Signal;

    private sealed record Next(T Item) : Signal;

    private sealed record Failed(Exception Error) : Signal;

    private sealed record Completed : Signal;
}
