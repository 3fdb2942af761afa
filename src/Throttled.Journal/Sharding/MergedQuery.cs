using Throttled.Journal.Queries;

namespace Throttled.Journal.Sharding;

/// <summary>A query over several shards as a stream.</summary>
/// <param name="queries">The query of each shard; at least one.</param>
internal sealed class MergedQuery<T>(IReadOnlyList<JournalQuery<T>> queries) : JournalQuery<T>
    where T : class
{
    internal override IFeed<T> Open(IPageReader<T> reader) => new MergedFeed<T>(queries, reader);
}
