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
