using Throttled.Journal.Loop;

namespace Throttled.Journal.SqlServer.Tests;

public sealed class BlockingReadsTests : IDisposable
{
    private readonly ManualResetEventSlim _goesOn = new();
    private readonly List<StalledRows> _readers = [];
    private readonly List<Task> _running = [];

    public void Dispose() => _goesOn.Dispose();

    [Fact]
    public async Task Stalled_reads_block_a_limited_number_of_pool_threads_and_the_loop_keeps_running()
    {
        await StallAsync(new(most: 2), reads: 20, onPool =>
        {
            Assert.Equal(2, onPool);
            return LoopMovesAsync();
        });
    }

    [Fact]
    public async Task All_journals_of_a_process_together_leave_the_pool_a_free_thread()
    {
        ThreadPool.GetMinThreads(out var ready, out _);
        await StallAsync(BlockingReads.OfProcess, reads: ready + 1, onPool =>
        {
            Assert.InRange(onPool, 0, ready - 1);
            return LoopMovesAsync();
        });
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task A_read_that_fails_throws_and_frees_its_place(int most)
    {
        var reads = new BlockingReads(most);
        for (var i = 0; i < 3; i++)
            await Assert.ThrowsAsync<IOException>(() => reads.RunAsync(() => throw new IOException()));
        var (isOnPool, isAsked) = (false, false);
        await Task.Run(() => reads.RunAsync(() => (isAsked, isOnPool) = (true, Thread.CurrentThread.IsThreadPoolThread)));
        Assert.True(isAsked);
        Assert.Equal(most == 1, isOnPool);
    }

    private async Task StallAsync(BlockingReads all, int reads, Func<int, Task> meanwhile)
    {
        for (var i = 0; i < reads; i++)
        {
            var reader = new StalledRows(_goesOn);
            _readers.Add(reader);
            _running.Add(Task.Run(() => all.RunAsync(() => reader.Read())));
        }
        try
        {
            await Wait.UntilAsync(() => _readers.TrueForAll(reader => reader.IsStalled), "all reads stall");
            await meanwhile(_readers.Count(reader => reader.IsOnPool));
            Assert.All(_running, read => Assert.False(read.IsCompleted));
        }
        finally
        {
            _goesOn.Set();
            await Task.WhenAll(_running);
        }
    }

    private static Task LoopMovesAsync()
    {
        var moved = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var loop = new JournalLoop(TimeProvider.System, new ThreadPoolScheduler(), moved.SetException);
        loop.Post(static state => ((TaskCompletionSource)state).SetResult(), moved);
        return moved.Task.WithinAsync("the loop runs");
    }

    /// <summary>A reader whose next row does not come.</summary>
    private sealed class StalledRows(ManualResetEventSlim goesOn)
    {
        private volatile bool _isStalled;

        internal bool IsOnPool { get; private set; }

        internal bool IsStalled => _isStalled;

        internal bool Read()
        {
            IsOnPool = Thread.CurrentThread.IsThreadPoolThread;
            _isStalled = true;
            goesOn.Wait();
            return false;
        }
    }
}
