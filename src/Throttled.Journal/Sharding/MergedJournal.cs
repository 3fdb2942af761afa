using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Sharding;

/// <summary>A journal that is divided among databases. Each shard has its own engine, with its own permits, tail, high-water mark and retries.</summary>
/// <param name="map">Which shard has which slices.</param>
/// <param name="shards">The journals of the shards, in order; this object disposes them.</param>
internal sealed class MergedJournal(ShardMap map, IReadOnlyList<IJournalShard> shards) : IJournal
{
    public IReadOnlyList<IJournalShard> Shards => shards;

    public ShardMap Map => map;

    public JournalQuery<JournalEvent> Events(ByIdQuery query) => shards[map.ShardOf(query.PersistenceId)].Events(query);

    public JournalQuery<JournalEvent> Events(OrderedQuery query) => query.After == 0 || map.Count == 1
        ? Events(query.Filter, ShardedPosition.At(map, query.After), query.IsLive)
        : throw new ArgumentException(FormattableString.Invariant(
            $"The query cannot begin after ordering {query.After}: the journal has {map.Count} shards, and each numbers its own events. ")
            + $"Begin at the start, or use a {nameof(ShardedPosition)}: {nameof(ShardedPosition)}.Parse if the position was stored as text, or "
            + $"{nameof(ShardedPosition)}.At if the number is from the journal before it was divided.");

    public JournalQuery<JournalEvent> Events(EventFilter filter, ShardedPosition after, bool isLive)
    {
        var position = after.On(map);
        int[] read = [.. map.ShardsOf(filter.Slices)];
        return Merged(
            [.. read.Select(shard => shards[shard].Events(new OrderedQuery(filter, position[shard], isLive)))],
            (part, each) => Misplaced(read[part], each));
    }

    public JournalQuery<string> Ids(bool isLive) => Merged([.. shards.Select(shard => shard.Ids(isLive))]);

    public async ValueTask DisposeAsync() => await Task.WhenAll(shards.Select(shard => shard.DisposeAsync().AsTask())).ConfigureAwait(false);

    // A position finds the shard of an event by its persistence id. A position after this event would skip unread events of another shard.
    private JournalException? Misplaced(int shard, JournalEvent each) => map.ShardOf(each.PersistenceId) is var owner && owner == shard ? null
        : new(ShardIdentity.PrefixOf(new(map, shard)) + FormattableString.Invariant(
            $"The event with ordering {each.Ordering} belongs to '{each.PersistenceId}', which is in slice {JournalSlices.Of(each.PersistenceId)} of shard {owner}. ")
            + "Find the process that writes to this database without the shards, stop it, and move the event to its shard or delete it.");

    private static JournalQuery<T> Merged<T>(IReadOnlyList<JournalQuery<T>> queries, Func<int, T, Exception?>? refuse = null)
        where T : class => queries.Count == 1 ? queries[0] : new MergedQuery<T>(queries, refuse);
}
