using Akka.Streams;
using Akka.Streams.Stage;
using Throttled.Journal.Lines;

namespace Akka.Persistence.Query.Throttled.Streams;

/// <summary>
/// The streams of a read journal that run and do not end by themselves. They complete before the actor system stops its actors: a stage that is stopped cannot
/// tell who waits for the stream. Thread-safe.
/// </summary>
internal sealed class LiveStreams
{
    private readonly Lock _lock = new();
    private readonly Line<LiveStream> _running = new();
    private TaskCompletionSource? _ended;

    /// <summary>A stream begins.</summary>
    /// <returns>False where it is to complete at once.</returns>
    internal bool Join(LiveStream stream)
    {
        lock (_lock)
        {
            if (_ended is null)
                _running.Join(stream);
            return _ended is null;
        }
    }

    /// <summary>A stream has ended, however. Harmless where it never joined.</summary>
    internal void Leave(LiveStream stream)
    {
        lock (_lock)
        {
            if (_running.Leave(stream) && _running.Count == 0)
                _ended?.TrySetResult();
        }
    }

    /// <summary>Completes all that run, and all that begin from now on; ends when they have.</summary>
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

/// <summary>One of them.</summary>
internal abstract class LiveStream(Shape shape) : OutGraphStageLogic(shape), ILineMember<LiveStream>
{
    Line<LiveStream>? ILineMember<LiveStream>.Line { get; set; }

    LiveStream? ILineMember<LiveStream>.Before { get; set; }

    LiveStream? ILineMember<LiveStream>.Behind { get; set; }

    /// <summary>Completes it, from any thread.</summary>
    internal abstract void Complete();
}
