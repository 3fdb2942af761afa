namespace Throttled.Journal.SqlServer;

/// <summary>
/// Runs reads that block their thread. A limited number of them runs on threads of the pool; each further read gets its own
/// thread. The engine's loop runs on the pool and must not wait behind stalled answers. Thread-safe.
/// </summary>
/// <param name="most">How many reads run on threads of the pool at once; 0 or more.</param>
internal sealed class BlockingReads(int most)
{
    private int _onPool;

    /// <summary>Shared by all journals of this process. Uses at most half of the threads that the pool starts without delay.</summary>
    internal static BlockingReads OfProcess { get; } = new(ReadyThreads() / 2);

    /// <returns>Ends when the read has ended.</returns>
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

    // Above this number the pool adds about two threads per second:
    // https://learn.microsoft.com/dotnet/standard/threading/the-managed-thread-pool
    private static int ReadyThreads()
    {
        ThreadPool.GetMinThreads(out var workers, out _);
        return workers;
    }
}
