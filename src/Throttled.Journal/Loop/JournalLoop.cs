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
