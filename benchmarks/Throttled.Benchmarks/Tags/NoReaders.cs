namespace Throttled.Benchmarks.Tags;

/// <summary>No readers: measures the cost of the measurement itself, and of the writing.</summary>
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
