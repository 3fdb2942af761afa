namespace Throttled.Faults.Bounds;

/// <summary>Repeatedly reads how many bytes of rows a reader counts.</summary>
internal sealed class BytesWatch : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly Task<long> _most;

    internal BytesWatch(JournalReader reader) => _most = Task.Run(() => WatchAsync(reader));

    /// <returns>The highest number of bytes.</returns>
    internal async Task<long> StopAsync()
    {
        await _stop.CancelAsync();
        return await _most.WithinAsync("the end of a watch");
    }

    public void Dispose() => _stop.Dispose();

    private async Task<long> WatchAsync(JournalReader reader)
    {
        var most = 0L;
        await Wait.UntilAsync(
            async () =>
            {
                most = Math.Max(most, (await EngineBooks.OfAsync(reader)).Bytes);
                return _stop.IsCancellationRequested;
            },
            () => "the end of the watched run", TimeSpan.FromMinutes(30));
        return most;
    }
}
