using Akka.Streams;
using Akka.Streams.Stage;
using Throttled.Journal.Loop;

namespace Akka.Persistence.Query.Throttled.Streams;

/// <summary>
/// The running streams of a read journal. They end before the actor system stops their actors: once an actor has stopped its stage, the stage can
/// neither complete the stream's task nor fail it with the journal's own error. Thread-safe.
/// </summary>
internal sealed class RunningStreams
{
    private readonly Lock _lock = new();
    private readonly LinkedQueue<RunningStream> _live = new();
    private readonly LinkedQueue<RunningStream> _others = new();
    private TaskCompletionSource? _liveEnded;
    private TaskCompletionSource? _ended;

    /// <returns>False if the stream is live and live streams complete now, so it must complete at once.</returns>
    internal bool Add(RunningStream stream)
    {
        lock (_lock)
        {
            if (stream.IsLive && _liveEnded is not null)
                return false;
            (stream.IsLive ? _live : _others).Enqueue(stream);
            return true;
        }
    }

    /// <summary>Removes a stream that has ended, for any reason. Harmless if it was never added.</summary>
    internal void Remove(RunningStream stream)
    {
        lock (_lock)
        {
            (stream.IsLive ? _live : _others).Remove(stream);
            Notify();
        }
    }

    /// <summary>Completes all running live streams, and all that begin later. The task completes when the running ones have ended.</summary>
    internal Task CompleteLiveAsync()
    {
        IReadOnlyList<RunningStream> running;
        lock (_lock)
        {
            _liveEnded ??= new(TaskCreationOptions.RunContinuationsAsynchronously);
            running = _live.Where(_ => true);
            Notify();
        }
        foreach (var stream in running)
            stream.Complete();
        return _liveEnded.Task;
    }

    /// <summary>Waits until no stream runs.</summary>
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

/// <summary>A stream of <see cref="RunningStreams"/>.</summary>
internal abstract class RunningStream(Shape shape) : OutGraphStageLogic(shape), ILinked<RunningStream>
{
    LinkedQueue<RunningStream>? ILinked<RunningStream>.Queue { get; set; }

    RunningStream? ILinked<RunningStream>.Previous { get; set; }

    RunningStream? ILinked<RunningStream>.Next { get; set; }

    /// <summary>Whether it follows the journal until it is cancelled.</summary>
    internal abstract bool IsLive { get; }

    /// <summary>Completes the stream. May be called on any thread.</summary>
    internal abstract void Complete();
}
