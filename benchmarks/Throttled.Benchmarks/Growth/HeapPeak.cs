namespace Throttled.Benchmarks.Growth;

/// <summary>The largest managed heap of this process since the start of the watch, seen every 20 ms.</summary>
internal sealed class HeapPeak : IAsyncDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);

    private readonly CancellationTokenSource _end = new();
    private readonly Task _watching;
    private long _most;

    internal HeapPeak()
    {
        GC.Collect();
        _watching = WatchAsync();
    }

    internal long Most => Interlocked.Read(ref _most);

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _watching;
        _end.Dispose();
    }

    private async Task WatchAsync()
    {
        for (; !_end.IsCancellationRequested; await Task.Delay(Pause, _end.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing))
            Interlocked.Exchange(ref _most, Math.Max(_most, GC.GetTotalMemory(forceFullCollection: false)));
    }
}
