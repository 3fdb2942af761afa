using Throttled.Journal.Database;

namespace Throttled.Journal.Sharding;

/// <summary>
/// Appends each event to its shard, to all shards at the same time. It first checks the marks of all shards. If a shard was written with another map,
/// persistence ids could begin again in a shard without their earlier events. The mark of an unavailable shard is checked before its first append.
/// </summary>
/// <param name="map">Which shard has which slices.</param>
/// <param name="shards">The appenders of the shards, in order; this object disposes them.</param>
internal sealed class ShardedAppender(ShardMap map, IReadOnlyList<JournalAppender> shards) : JournalAppender
{
    private readonly SingleCall _call = new("An appender");
    private readonly bool[] _isMarked = new bool[map.Count];
    private bool _hasChecked;

    public override Task CreateAsync(CancellationToken cancellationToken = default) => _call.OneAtATimeAsync(async () =>
    {
        await Task.WhenAll(shards.Select(shard => shard.CreateAsync(cancellationToken))).ConfigureAwait(false);
        for (var shard = 0; shard < map.Count; shard++)
            await MarkAsync(shard, cancellationToken).ConfigureAwait(false);
        _hasChecked = true;
    });

    public override Task AppendAsync(IReadOnlyCollection<JournalEvent> events, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(events);
        Check(events);
        return _call.OneAtATimeAsync(() => AppendEventsAsync(events, cancellationToken));
    }

    public override async ValueTask DisposeAsync() => await Task.WhenAll(shards.Select(shard => shard.DisposeAsync().AsTask())).ConfigureAwait(false);

    internal override void Check(IEnumerable<JournalEvent> events) => shards[0].Check(events);

    internal override Task MarkAsync(ShardIdentity identity, CancellationToken cancellation) =>
        throw new NotSupportedException("A sharded journal cannot be a shard of another.");

    private async Task AppendEventsAsync(IReadOnlyCollection<JournalEvent> events, CancellationToken cancellation)
    {
        if (events.Count > 0 && !_hasChecked)
            await CheckMarksAsync(cancellation).ConfigureAwait(false);
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
            FormattableString.Invariant($"{failed.Count} of {parts.Count} shards did not append their events; the others did. Shard {parts[first].Key}: {error.Message}"),
            [.. events.Where(each => failed.Contains(map.ShardOf(each.PersistenceId)))],
            error);
    }

    // Check one shard after the other. The first one is usually the journal that existed before. If it is refused, the others stay unchanged.
    private async Task CheckMarksAsync(CancellationToken cancellation)
    {
        for (var shard = 0; shard < map.Count; shard++)
        {
            try
            {
                await MarkAsync(shard, cancellation).ConfigureAwait(false);
            }
            catch (Exception error) when (error is not ShardMarkException && !cancellation.IsCancellationRequested)
            {
                // The shard is unavailable. An append to it will fail with this error.
            }
        }
        _hasChecked = true;
    }

    private async Task AppendAsync(int shard, IReadOnlyCollection<JournalEvent> events, CancellationToken cancellation)
    {
        if (!_isMarked[shard])
            await MarkAsync(shard, cancellation).ConfigureAwait(false);
        await shards[shard].AppendAsync(events, cancellation).ConfigureAwait(false);
    }

    private async Task MarkAsync(int shard, CancellationToken cancellation)
    {
        await shards[shard].MarkAsync(new(map, shard), cancellation).ConfigureAwait(false);
        _isMarked[shard] = true;
    }
}
