using Akka.Streams;
using Akka.Streams.Stage;
using Throttled.Journal.Loop;

namespace Akka.Persistence.Query.Throttled.Streams;

/// <summary>
/// The running live streams of a read journal. They complete before the actor system stops its actors: once an actor has stopped its stage, the stage
/// cannot complete the stream's task. Thread-safe.
/// </summary>
internal sealed class LiveStreams
{
    private readonly Lock _lock = new();
    private readonly LinkedQueue<LiveStream> _running = new();
    private TaskCompletionSource? _ended;

    /// <returns>False if the journal is closing, so the stream must complete at once.</returns>
    internal bool Add(LiveStream stream)
    {
        lock (_lock)
        {
            if (_ended is null)
                _running.Enqueue(stream);
            return _ended is null;
        }
    }

    /// <summary>Removes a stream that has ended, for any reason. Harmless if it was never added.</summary>
    internal void Remove(LiveStream stream)
    {
        lock (_lock)
        {
            if (_running.Remove(stream) && _running.Count == 0)
                _ended?.TrySetResult();
        }
    }

    /// <summary>Completes all running streams, and all that begin later. The task completes when the running ones have ended.</summary>
    internal Task EndAsync()
    {
        IReadOnlyList<LiveStream> running;
        lock (_lock)
        {
            _ended ??= new(TaskCreationOptions.RunContinuationsAsynchronously);
            running = _running.Where(_ => true);
            if (running.Count == 0)
                _ended.TrySetResult();
        }
        foreach (var stream in running)
            stream.Complete();
        return _ended.Task;
    }
}

/// <summary>A stream of <see cref="LiveStreams"/>.</summary>
internal abstract class LiveStream(Shape shape) : OutGraphStageLogic(shape), ILinked<LiveStream>
{
    LinkedQueue<LiveStream>? ILinked<LiveStream>.Queue { get; set; }

    LiveStream? ILinked<LiveStream>.Previous { get; set; }

    LiveStream? ILinked<LiveStream>.Next { get; set; }

    /// <summary>Completes the stream. May be called on any thread.</summary>
    internal abstract void Complete();
}
