using Throttled.Journal.Queries;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>Reads a query and keeps its events.</summary>
internal sealed class LaneReading : IAsyncDisposable
{
    private readonly Lock _lock = new();
    private readonly List<JournalEvent> _events = [];
    private readonly CancellationTokenSource _stopping = new();
    private readonly TaskCompletionSource _continued = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly IAsyncEnumerator<JournalEvent> _query;

    /// <param name="query">The query.</param>
    /// <param name="pauseAfter">After so many events, it waits for <see cref="Continue"/>; 0 for no pause.</param>
    internal LaneReading(IAsyncEnumerable<JournalEvent> query, int pauseAfter = 0)
    {
        _query = query.GetAsyncEnumerator(_stopping.Token);
        Run = Task.Run(() => RunAsync(pauseAfter));
    }

    internal Task Run { get; }

    internal IReadOnlyList<JournalEvent> Events
    {
        get
        {
            lock (_lock)
                return [.. _events];
        }
    }

    internal IReadOnlyList<long> Orderings => [.. Events.Select(stored => stored.Ordering)];

    internal void Continue() => _continued.TrySetResult();

    internal Task<Scan?> ScannedAsync() => ((IScanning)_query).ScannedAsync();

    internal Task HasAsync(int count) => Wait.UntilAsync(
        () => Events.Count >= count || Run.IsFaulted, () => $"{count} events; there are {Events.Count}; {Run.Exception}");

    public async ValueTask DisposeAsync()
    {
        Continue();
        await _stopping.CancelAsync();
        await Run.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _query.DisposeAsync();
        _stopping.Dispose();
    }

    private async Task RunAsync(int pauseAfter)
    {
        try
        {
            while (await _query.MoveNextAsync())
            {
                lock (_lock)
                    _events.Add(_query.Current);
                if (Events.Count == pauseAfter)
                    await _continued.Task;
            }
        }
        catch (OperationCanceledException) when (_stopping.IsCancellationRequested)
        {
        }
    }
}
