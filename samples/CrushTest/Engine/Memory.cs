using System.Threading.Tasks.Sources;
using Throttled.Journal;

namespace CrushTest.Engine;

/// <summary>Bytes of waiting loops that read nothing: to be taken off what is measured with the engine.</summary>
/// <param name="Kept">What they keep.</param>
/// <param name="Allocated">What was allocated to start them.</param>
internal sealed record LoopCost(long Kept, long Allocated);

/// <summary>The managed heap, measured when all that is garbage is gone.</summary>
internal static class Memory
{
    internal static long Kept()
    {
        for (var i = 0; i < 2; i++)
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            GC.WaitForPendingFinalizers();
        }
        return GC.GetTotalMemory(forceFullCollection: true);
    }

    internal static LoopCost OfLoops(string[] ids)
    {
        var never = new Never();
        // The first loop pays for what is made once.
        OnNothing([ids[0]]).Start(_ => never);
        var (kept, allocated) = (Kept(), GC.GetTotalAllocatedBytes(precise: true));
        var consumers = OnNothing(ids);
        consumers.Start(_ => never);
        allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        kept = Kept() - kept;
        GC.KeepAlive(consumers);
        return new(kept, allocated);
    }

    private static Consumers OnNothing(string[] ids) => new(ids, new(ids, 1, static (_, _) => { }));
}

/// <summary>
/// A stream without events. It costs nothing: one object serves all that wait on it. What is left in memory is the waiting loops
/// themselves, which belong to the test and not to the engine.
/// </summary>
internal sealed class Never : IAsyncEnumerable<JournalEvent>, IAsyncEnumerator<JournalEvent>, IValueTaskSource<bool>
{
    public JournalEvent Current => throw new InvalidOperationException("Nothing ever comes.");

    public IAsyncEnumerator<JournalEvent> GetAsyncEnumerator(CancellationToken cancellationToken = default) => this;

    public ValueTask<bool> MoveNextAsync() => new(this, 0);

    public ValueTask DisposeAsync() => default;

    bool IValueTaskSource<bool>.GetResult(short token) => throw new InvalidOperationException("Nothing ever comes.");

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => ValueTaskSourceStatus.Pending;

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
    }
}
