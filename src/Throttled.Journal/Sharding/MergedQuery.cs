using Throttled.Journal.Queries;

namespace Throttled.Journal.Sharding;

/// <summary>A query over several shards as a stream.</summary>
/// <param name="queries">The query of each shard; at least one.</param>
/// <param name="refuse">What is wrong with an item of one of them, by its place; null where nothing can be.</param>
internal sealed class MergedQuery<T>(IReadOnlyList<JournalQuery<T>> queries, Func<int, T, Exception?>? refuse = null) : JournalQuery<T>
    where T : class
{
    internal override IFeed<T> Open(IPageReader<T> reader) => new MergedFeed<T>(queries, reader, refuse);
}
