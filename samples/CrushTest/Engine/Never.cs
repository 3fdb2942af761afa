using System.Threading.Tasks.Sources;
using Throttled.Journal;

namespace CrushTest.Engine;

/// <summary>
/// A stream in which nothing ever happens, and which costs nothing: one object for all who wait on it. What is left in memory
/// is the waiting loops themselves, which are ours and not the engine's.
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
