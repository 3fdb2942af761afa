using System.Collections.Concurrent;

namespace Throttled.Journal.Loop;

/// <summary>
/// The one serialised loop of a journal: what is posted runs one at a time, in order, on some thread of the scheduler.
/// Everything that has state in a journal lives on it.
/// </summary>
/// <param name="time">The clock.</param>
/// <param name="scheduler">Where the loop, and what it starts beside itself, runs.</param>
/// <param name="onDefect">Called with an exception that escaped from a posted action: a defect of ours. The loop goes on.</param>
internal sealed class JournalLoop(TimeProvider time, ILoopScheduler scheduler, Action<Exception> onDefect) : IThreadPoolWorkItem
{
    // A batch ends after so many actions, so that work which waits for the end of a batch is not starved by a flood.
    private const int BatchSize = 4096;

    private readonly ConcurrentQueue<(Action<object> Action, object State)> _inbox = new();
    private readonly long _start = time.GetTimestamp();
    private int _scheduled;

    internal TimeProvider Time => time;

    /// <summary>Time since the loop began, by the clock that is never set.</summary>
    internal TimeSpan Now => time.GetElapsedTime(_start);

    /// <summary>Called on the loop after each batch of actions: what gains from seeing many of them at once waits for it.</summary>
    internal Action? BatchEnded { get; set; }

    /// <summary>Runs an action on the loop, soon. From any thread.</summary>
    internal void Post(Action<object> action, object state)
    {
        _inbox.Enqueue((action, state));
        if (Interlocked.Exchange(ref _scheduled, 1) == 0)
            scheduler.Run(this);
    }

    /// <summary>Runs work beside the loop.</summary>
    internal void RunOutside(IThreadPoolWorkItem work) => scheduler.Run(work);

    void IThreadPoolWorkItem.Execute()
    {
        for (var i = 0; i < BatchSize && _inbox.TryDequeue(out var next); i++)
            Guarded(next.Action, next.State);
        if (BatchEnded is { } ended)
            Guarded(static state => ((Action)state)(), ended);
        Volatile.Write(ref _scheduled, 0);
        // A full fence between the write above and the check of the inbox: Post does the two in the other order.
        Interlocked.MemoryBarrier();
        if (!_inbox.IsEmpty && Interlocked.Exchange(ref _scheduled, 1) == 0)
            scheduler.Run(this);
    }

    private void Guarded(Action<object> action, object state)
    {
        try
        {
            action(state);
        }
        catch (Exception defect)
        {
            onDefect(defect);
        }
    }
}

/// <summary>Where work runs: the thread pool, or a test that decides the order of things.</summary>
internal interface ILoopScheduler
{
    void Run(IThreadPoolWorkItem work);
}

/// <summary>Runs work on the thread pool.</summary>
internal sealed class ThreadPoolScheduler : ILoopScheduler
{
    public void Run(IThreadPoolWorkItem work) => ThreadPool.UnsafeQueueUserWorkItem(work, preferLocal: false);
}

/// <summary>A completion that somebody waits for. Whoever waits goes on beside the loop, where the scheduler says, and never on it.</summary>
internal sealed class Completion(JournalLoop loop) : IThreadPoolWorkItem
{
    private readonly TaskCompletionSource _source = new();

    internal Task Task => _source.Task;

    /// <summary>It has come. Harmless when said twice.</summary>
    internal void Set() => loop.RunOutside(this);

    void IThreadPoolWorkItem.Execute() => _source.TrySetResult();
}

/// <summary>Cancels outside the loop, because a driver may open a connection to do it and block meanwhile.</summary>
internal sealed class Cancellation(CancellationTokenSource source) : IThreadPoolWorkItem
{
    // Who cancels waits for the end of the statement all the same; an exception here would end the process.
    public void Execute()
    {
        try
        {
            source.Cancel();
        }
        catch (Exception error) when (error is AggregateException or ObjectDisposedException)
        {
        }
    }
}
