namespace Throttled.Journal.Loop;

/// <summary>Where work runs: the thread pool, or a test that decides the order of things.</summary>
internal interface ILoopScheduler
{
    void Run(IThreadPoolWorkItem work);
}
