namespace Throttled.Journal.Queries;

/// <summary>A query as a stream; each enumeration is a run of its own.</summary>
/// <param name="open">Makes the feed of a run.</param>
internal sealed class JournalQuery<T>(Func<IPageReader<T>, JournalFeed<T>> open) : IAsyncEnumerable<T>
    where T : class
{
    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
        new FeedEnumerator<T>(open, cancellationToken);
}
