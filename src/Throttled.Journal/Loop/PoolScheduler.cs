namespace Throttled.Journal.Loop;

/// <summary>Runs work on the thread pool.</summary>
internal sealed class PoolScheduler : ILoopScheduler
{
    public void Run(IThreadPoolWorkItem work) => ThreadPool.UnsafeQueueUserWorkItem(work, preferLocal: false);
}
