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
