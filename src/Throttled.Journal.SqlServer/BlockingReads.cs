namespace Throttled.Journal.SqlServer;

/// <summary>
/// Runs reads that block their thread. At most a given number of them runs on threads of the pool, and each further one on a thread of its own: the engine's
/// loop runs on the pool, and must not wait behind answers that stall. Thread-safe.
/// </summary>
/// <param name="most">How many run on threads of the pool at once; 0 and more.</param>
internal sealed class BlockingReads(int most)
{
    private int _onPool;

    /// <summary>Those of all journals of this process: on at most half of the threads that the pool starts without delay.</summary>
    internal static BlockingReads OfProcess { get; } = new(ReadyThreads() / 2);

    /// <summary>Runs a read. It has ended when the task has.</summary>
    internal async Task RunAsync(Action read)
    {
        if (Interlocked.Increment(ref _onPool) <= most)
        {
            try
            {
                read();
            }
            finally
            {
                Interlocked.Decrement(ref _onPool);
            }
            return;
        }
        Interlocked.Decrement(ref _onPool);
        await Task.Factory.StartNew(
            read, CancellationToken.None, TaskCreationOptions.LongRunning | TaskCreationOptions.DenyChildAttach, TaskScheduler.Default).ConfigureAwait(false);
    }

    // Above this number the pool adds about one thread each half second: https://learn.microsoft.com/dotnet/standard/threading/the-managed-thread-pool
    private static int ReadyThreads()
    {
        ThreadPool.GetMinThreads(out var workers, out _);
        return workers;
    }
}
