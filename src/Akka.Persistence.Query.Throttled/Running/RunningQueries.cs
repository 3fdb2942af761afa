using Throttled.Journal.Loop;

namespace Akka.Persistence.Query.Throttled.Running;

/// <summary>
/// The running streams and subscriptions of a read journal. They end before the actor system stops their actors: once an actor has stopped its stage,
/// the stage can neither complete the stream's task nor fail it with the journal's own error. Thread-safe.
/// </summary>
internal sealed class RunningQueries
{
    private readonly Lock _lock = new();
    private readonly LinkedQueue<IRunningQuery> _live = new();
    private readonly LinkedQueue<IRunningQuery> _others = new();
    private TaskCompletionSource? _liveEnded;
    private TaskCompletionSource? _ended;

    /// <returns>False if the query is live and live queries complete now, so it must complete at once.</returns>
    internal bool Add(IRunningQuery query)
    {
        lock (_lock)
        {
            if (query.IsLive && _liveEnded is not null)
                return false;
            (query.IsLive ? _live : _others).Enqueue(query);
            return true;
        }
    }

    /// <summary>Removes a query that has ended, for any reason. Harmless if it was never added.</summary>
    internal void Remove(IRunningQuery query)
    {
        lock (_lock)
        {
            (query.IsLive ? _live : _others).Remove(query);
            Notify();
        }
    }

    /// <summary>Completes all running live queries, and all that begin later. The task completes when the running ones have ended.</summary>
    internal Task CompleteLiveAsync()
    {
        IReadOnlyList<IRunningQuery> running;
        lock (_lock)
        {
            _liveEnded ??= new(TaskCreationOptions.RunContinuationsAsynchronously);
            running = _live.Where(_ => true);
            Notify();
        }
        foreach (var query in running)
            query.Complete();
        return _liveEnded.Task;
    }

    /// <summary>Waits until no query runs.</summary>
    internal Task EndedAsync()
    {
        lock (_lock)
        {
            _ended ??= new(TaskCreationOptions.RunContinuationsAsynchronously);
            Notify();
            return _ended.Task;
        }
    }

    private void Notify()
    {
        if (_live.Count > 0)
            return;
        _liveEnded?.TrySetResult();
        if (_others.Count == 0)
            _ended?.TrySetResult();
    }
}

/// <summary>A stream or a subscription: one run of a query.</summary>
internal interface IRunningQuery : ILinked<IRunningQuery>
{
    /// <summary>Whether it follows the journal until it is cancelled.</summary>
    bool IsLive { get; }

    /// <summary>Completes the run. May be called on any thread.</summary>
    void Complete();
}
