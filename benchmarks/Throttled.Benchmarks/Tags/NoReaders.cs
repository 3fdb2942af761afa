namespace Throttled.Benchmarks.Tags;

/// <summary>Nobody: what the measuring itself costs, and the writing.</summary>
internal sealed class NoReaders : ITagReaders
{
    public long Statements => 0;

    public Task OpenAsync() => Task.CompletedTask;

    public void Start(TagStreams streams)
    {
    }

    public Task FollowAsync() => Task.CompletedTask;

    public ValueTask DisposeAsync() => default;
}
