using System.Diagnostics;

namespace Throttled.Faults.Bounds;

/// <summary>The threads of this process, and those of the thread pool.</summary>
internal readonly record struct ThreadCount(int Process, int Pool)
{
    internal static ThreadCount Now()
    {
        using var process = System.Diagnostics.Process.GetCurrentProcess();
        return new(process.Threads.Count, ThreadPool.ThreadCount);
    }

    internal ThreadCount Most(ThreadCount other) => new(Math.Max(Process, other.Process), Math.Max(Pool, other.Pool));

    public override string ToString() => $"{Process} threads, {Pool} of the pool";
}
