using System.Runtime.CompilerServices;
using Throttled.Journal.Loop;
using Throttled.Journal.Pages;

namespace Throttled.Testing.Scripted;

/// <summary>The requests that wait in the scheduler, and its batches.</summary>
internal static class SchedulerInsides
{
    internal static LinkedQueue<PageRequest> ById(this PageScheduler scheduler) => ByIdOf(QueuesOf(scheduler));

    internal static LinkedQueue<PageRequest> Singles(this PageScheduler scheduler) => SinglesOf(QueuesOf(scheduler)).Queue;

    internal static HashSet<BatchRun> Running(this PageScheduler scheduler) => RunningOf(scheduler);

    /// <summary>All batches: of running statements, and of statements to repeat.</summary>
    internal static IEnumerable<PageBatch> Batches(this PageScheduler scheduler)
    {
        foreach (var run in RunningOf(scheduler))
            yield return run.Batch;
        foreach (var batch in ReadyOf(RetriesOf(scheduler)))
            yield return batch;
        foreach (var batch in LaterOf(RetriesOf(scheduler)).Keys)
            yield return batch;
    }

    /// <summary>Copies a queue, the first request first.</summary>
    internal static void CopyTo(this LinkedQueue<PageRequest> queue, List<PageRequest> list)
    {
        list.Clear();
        for (var member = queue.First; member is not null; member = ((ILinked<PageRequest>)member).Next)
            list.Add(member);
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_queues")]
    private static extern ref PageQueues QueuesOf(PageScheduler scheduler);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_running")]
    private static extern ref HashSet<BatchRun> RunningOf(PageScheduler scheduler);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_retries")]
    private static extern ref BatchRetries RetriesOf(PageScheduler scheduler);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_byId")]
    private static extern ref LinkedQueue<PageRequest> ByIdOf(PageQueues queues);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_singles")]
    private static extern ref CoalescingQueue SinglesOf(PageQueues queues);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_ready")]
    private static extern ref Queue<PageBatch> ReadyOf(BatchRetries retries);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_later")]
    private static extern ref Dictionary<PageBatch, LoopTimer> LaterOf(BatchRetries retries);
}
