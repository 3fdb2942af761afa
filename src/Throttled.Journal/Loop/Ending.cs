namespace Throttled.Journal.Loop;

/// <summary>A completion that somebody waits for. Whoever waits goes on beside the loop, where the scheduler says, and never on it.</summary>
internal sealed class Ending(JournalLoop loop) : IThreadPoolWorkItem
{
    private readonly TaskCompletionSource _source = new();

    internal Task Task => _source.Task;

    /// <summary>It has come. Harmless when said twice.</summary>
    internal void Set() => loop.RunOutside(this);

    void IThreadPoolWorkItem.Execute() => _source.TrySetResult();
}
