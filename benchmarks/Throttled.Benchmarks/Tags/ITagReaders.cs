namespace Throttled.Benchmarks.Tags;

/// <summary>Whoever reads for the streams of a plan.</summary>
internal interface ITagReaders : IAsyncDisposable
{
    /// <summary>Statements so far, as the readers count them.</summary>
    long Statements { get; }

    /// <summary>Makes the connections that it will have anyway.</summary>
    Task OpenAsync();

    void Start(TagStreams streams);

    /// <summary>Waits until all streams are at the end of the journal.</summary>
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
