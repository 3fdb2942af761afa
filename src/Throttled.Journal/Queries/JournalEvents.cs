namespace Throttled.Journal.Queries;

/// <summary>A query as a stream; each enumeration is a run of its own.</summary>
internal sealed class JournalEvents(JournalEngine engine, ByIdQuery query) : IAsyncEnumerable<JournalEvent>
{
    public IAsyncEnumerator<JournalEvent> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
        new EventEnumerator(engine, query, cancellationToken);
}
