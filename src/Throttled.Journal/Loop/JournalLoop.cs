using System.Collections.Concurrent;
using Throttled.Journal.Diagnostics;

namespace Throttled.Journal.Loop;

/// <summary>The serial loop of a journal. Posted actions run in order, one at a time, on a thread of the scheduler. All state is used on the loop.</summary>
/// <param name="time">The source of time.</param>
/// <param name="scheduler">Runs the loop, and the work that it starts outside the loop.</param>
/// <param name="onDefect">Called with an exception of a posted action, which is a defect of the engine. The loop continues.</param>
internal sealed class JournalLoop(TimeProvider time, ILoopScheduler scheduler, Action<Exception> onDefect) : IThreadPoolWorkItem
{
    // A batch ends after this many actions. Otherwise a flood of actions would starve the work that waits for the end of a batch.
    private const int BatchSize = 4096;

    private readonly ConcurrentQueue<(Action<object> Action, object State)> _inbox = new();
    private int _scheduled;

    internal TimeProvider Time => time;

    internal JournalClock Clock { get; } = new(time);

    /// <summary>Time since the loop was created, by a monotonic clock.</summary>
    internal TimeSpan Now => Clock.Now;

    /// <summary>Called on the loop after each batch of actions, for work that is cheaper when done for many actions at once.</summary>
    internal Action? BatchEnded { get; set; }

    /// <summary>Enqueues an action. Thread-safe.</summary>
    internal void Post(Action<object> action, object state)
    {
        _inbox.Enqueue((action, state));
        if (Interlocked.Exchange(ref _scheduled, 1) == 0)
            scheduler.Run(this);
    }

    internal void RunOutside(IThreadPoolWorkItem work) => scheduler.Run(work);

    /// <summary>Runs work outside the loop. Then calls <paramref name="ended"/> on the loop, with the exception of the work or null.</summary>
    internal void RunOutside(Func<Task> work, Action<Exception?> ended) => scheduler.Run(new OutsideWork(this, work, ended));

    void IThreadPoolWorkItem.Execute()
    {
        for (var i = 0; i < BatchSize && _inbox.TryDequeue(out var next); i++)
            Guarded(next.Action, next.State);
        if (BatchEnded is { } ended)
            Guarded(static state => ((Action)state)(), ended);
        Volatile.Write(ref _scheduled, 0);
        // A full fence between the write above and the read of the inbox below. Post writes the inbox first and reads the flag second.
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

/// <summary>Runs work: on the thread pool, or in the order that a test decides.</summary>
internal interface ILoopScheduler
{
    void Run(IThreadPoolWorkItem work);
}

internal sealed class ThreadPoolScheduler : ILoopScheduler
{
    public void Run(IThreadPoolWorkItem work) => ThreadPool.UnsafeQueueUserWorkItem(work, preferLocal: false);
}

internal sealed class OutsideWork(JournalLoop loop, Func<Task> work, Action<Exception?> ended) : IThreadPoolWorkItem
{
    private Exception? _error;

    void IThreadPoolWorkItem.Execute() => _ = RunAsync();

    private async Task RunAsync()
    {
        try
        {
            await work().ConfigureAwait(false);
        }
        catch (Exception error)
        {
            _error = error;
        }
        loop.Post(static self => ((OutsideWork)self).End(), this);
    }

    private void End() => ended(_error);
}

/// <summary>A completion whose continuations run outside the loop, on the scheduler.</summary>
internal sealed class Completion(JournalLoop loop) : IThreadPoolWorkItem
{
    private readonly TaskCompletionSource _source = new();

    internal Task Task => _source.Task;

    /// <summary>Completes the task. A second call does nothing.</summary>
    internal void Set() => loop.RunOutside(this);

    void IThreadPoolWorkItem.Execute() => _source.TrySetResult();
}

/// <summary>Cancels outside the loop, because a driver may open a connection for it and block.</summary>
internal sealed class Cancellation(CancellationTokenSource source) : IThreadPoolWorkItem
{
    // The caller waits for the end of the statement in any case. An unhandled exception here would end the process.
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
