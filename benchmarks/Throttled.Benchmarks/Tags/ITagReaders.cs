namespace Throttled.Benchmarks.Tags;

/// <summary>One way to read the streams of a plan.</summary>
internal interface ITagReaders : IAsyncDisposable
{
    /// <summary>The number of statements so far, as the readers count them.</summary>
    long Statements { get; }

    /// <summary>Opens the connections before the measurement.</summary>
    Task OpenAsync();

    void Start(TagStreams streams);

    /// <summary>Waits until all streams have caught up with the journal.</summary>
    Task FollowAsync();
}

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
