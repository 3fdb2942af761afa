using System.Threading.Tasks.Sources;

namespace CrushTest.Engine;

/// <summary>Bytes of waiting loops that read nothing. Subtract them from measurements of the engine.</summary>
/// <param name="Kept">Bytes that they keep.</param>
/// <param name="Allocated">Bytes allocated to start them.</param>
internal sealed record LoopCost(long Kept, long Allocated);

/// <summary>The size of the managed heap after a full collection.</summary>
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
        // The first loop includes objects that are created only once.
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
/// A stream without events. One object serves all loops that wait on it, so only the waiting loops
/// themselves take memory. They belong to the test and not to the engine.
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
