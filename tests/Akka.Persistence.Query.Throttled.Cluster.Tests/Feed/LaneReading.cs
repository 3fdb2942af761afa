using Throttled.Journal;
using Throttled.Journal.Queries;
using Throttled.Testing;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>Reads a query and keeps its events.</summary>
internal sealed class LaneReading : IAsyncDisposable
{
    private readonly Lock _lock = new();
    private readonly List<JournalEvent> _events = [];
    private readonly CancellationTokenSource _stopping = new();
    private readonly TaskCompletionSource _continued = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly IAsyncEnumerator<JournalEvent> _query;
    private readonly Task _run;

    /// <param name="query">The query.</param>
    /// <param name="pauseAfter">After so many events, it waits for <see cref="Continue"/>; 0 for no pause.</param>
    internal LaneReading(IAsyncEnumerable<JournalEvent> query, int pauseAfter = 0)
    {
        _query = query.GetAsyncEnumerator(_stopping.Token);
        _run = Task.Run(() => RunAsync(pauseAfter));
    }

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
        () => Events.Count >= count || _run.IsFaulted, () => $"{count} events; there are {Events.Count}; {_run.Exception}");

    public async ValueTask DisposeAsync()
    {
        Continue();
        await _stopping.CancelAsync();
        await _run;
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
