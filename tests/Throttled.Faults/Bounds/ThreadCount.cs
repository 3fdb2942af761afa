using System.Diagnostics;

namespace Throttled.Faults.Bounds;

/// <summary>The threads of this process: those of the thread pool, and the others.</summary>
internal readonly record struct ThreadCount(int Others, int Pool)
{
    internal int All => Others + Pool;

    internal static ThreadCount Now()
    {
        using var process = Process.GetCurrentProcess();
        var pool = ThreadPool.ThreadCount;
        return new(process.Threads.Count - pool, pool);
    }

    internal ThreadCount Most(ThreadCount other) => new(Math.Max(Others, other.Others), Math.Max(Pool, other.Pool));

    public override string ToString() => $"{Pool} threads of the pool and {Others} others";
}
