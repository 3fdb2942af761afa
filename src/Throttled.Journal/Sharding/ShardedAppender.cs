using Throttled.Journal.Sql;

namespace Throttled.Journal.Sharding;

/// <summary>Appends to each shard what is its own, to all at once. A shard takes nothing before its mark was looked at.</summary>
/// <param name="map">Which shard has which slices.</param>
/// <param name="shards">The appender of each, in their order; this one's to dispose.</param>
internal sealed class ShardedAppender(ShardMap map, IReadOnlyList<JournalAppender> shards) : JournalAppender
{
    private readonly SingleCall _call = new("An appender");
    private readonly bool[] _isStamped = new bool[map.Count];

    public override Task CreateAsync(CancellationToken cancellationToken = default) => _call.RunAsync(
        () => Task.WhenAll(Enumerable.Range(0, map.Count).Select(async shard =>
        {
            await shards[shard].CreateAsync(cancellationToken).ConfigureAwait(false);
            await StampAsync(shard, cancellationToken).ConfigureAwait(false);
        })));

    public override Task AppendAsync(IReadOnlyCollection<JournalEvent> events, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(events);
        Check(events);
        return _call.RunAsync(() => AppendEventsAsync(events, cancellationToken));
    }

    public override async ValueTask DisposeAsync() =>
        await Task.WhenAll(shards.Select(shard => shard.DisposeAsync().AsTask())).ConfigureAwait(false);

    internal override void Check(IEnumerable<JournalEvent> events) => shards[0].Check(events);

    internal override Task StampAsync(ShardPlace place, CancellationToken cancellation) =>
        throw new NotSupportedException("A sharded journal cannot be a shard of another.");

    private async Task AppendEventsAsync(IReadOnlyCollection<JournalEvent> events, CancellationToken cancellation)
    {
        var parts = events.GroupBy(each => map.ShardOf(each.PersistenceId)).ToList();
        var appending = parts.ConvertAll(part => AppendAsync(part.Key, [.. part], cancellation));
        await Task.WhenAll(appending).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        var failed = parts.Where((_, i) => !appending[i].IsCompletedSuccessfully).Select(part => part.Key).ToHashSet();
        if (failed.Count == 0)
            return;
        if (failed.Count == parts.Count)
            await appending.First(each => !each.IsCompletedSuccessfully).ConfigureAwait(false);
        var first = appending.FindIndex(each => !each.IsCompletedSuccessfully);
        var error = appending[first].Exception?.InnerException ?? new OperationCanceledException(cancellation);
        throw new ShardedAppendException(
            FormattableString.Invariant($"{failed.Count} of {parts.Count} shards did not take their events; the others have theirs. Shard {parts[first].Key}: {error.Message}"),
            [.. events.Where(each => failed.Contains(map.ShardOf(each.PersistenceId)))],
            error);
    }

    private async Task AppendAsync(int shard, IReadOnlyCollection<JournalEvent> events, CancellationToken cancellation)
    {
        if (!_isStamped[shard])
            await StampAsync(shard, cancellation).ConfigureAwait(false);
        await shards[shard].AppendAsync(events, cancellation).ConfigureAwait(false);
    }

    private async Task StampAsync(int shard, CancellationToken cancellation)
    {
        await shards[shard].StampAsync(new(map, shard), cancellation).ConfigureAwait(false);
        _isStamped[shard] = true;
    }
}
