using Throttled.Journal;
using Throttled.Projections.Positions;
using Throttled.Projections.Store;

namespace Throttled.Projections.Running;

/// <summary>Finds the place that a reset names, in each shard of the journal.</summary>
internal sealed class ResetSearch(ProjectionParts parts)
{
    /// <exception cref="ProjectionException">It names none of this journal.</exception>
    internal async Task<ResetPlace> FindAsync(CommandRow command, CancellationToken cancellation)
    {
        var named = Named(command);
        // Of one shard any ordering is one of it, and whether it is there that shard knows.
        long? ordering = parts.Map is null && command.Timestamp is null && command.Place is null ? command.Ordering : null;
        var rows = new List<StoredPosition>();
        foreach (var shard in parts.Shards)
            rows.Add(new(shard.Slices, await FindAsync(shard, ordering ?? named?[shard.Number ?? 0], command, cancellation).ConfigureAwait(false), 0));
        return new(rows, parts.Map);
    }

    // Null for a time.
    private ShardedPosition? Named(CommandRow command)
    {
        var map = parts.Map ?? ShardMap.Even(1);
        if (command.Timestamp is not null)
            return null;
        if (command.Place is { } place)
            return On(map, place);
        if (command.Ordering is not (null or 0) && map.Count > 1)
            throw new ProjectionException(FormattableString.Invariant(
                $"The ordering {command.Ordering} names no place: the journal has {map.Count} shards, and each numbers its own events. Reset to a time, to the start, or to a ")
                + $"{nameof(ShardedPosition)}; that of a journal before its events were divided is {nameof(ShardedPosition)}.{nameof(ShardedPosition.At)}.");
        return ShardedPosition.At(map);
    }

    private static ShardedPosition On(ShardMap map, string place)
    {
        try
        {
            return ShardedPosition.Parse(place).On(map);
        }
        catch (Exception error) when (error is ArgumentException or FormatException)
        {
            throw new ProjectionException(error.Message);
        }
    }

    private static async Task<long> FindAsync(JournalShard shard, long? named, CommandRow command, CancellationToken cancellation)
    {
        // The start needs no journal.
        if (named == 0)
            return 0;
        var end = await shard.End(cancellation).ConfigureAwait(false);
        if (named is null)
            return await new OrderingSearch(shard.FirstBehind).LastBeforeAsync(command.Timestamp ?? 0, end, cancellation).ConfigureAwait(false);
        return named >= 0 && named <= end
            ? named.Value
            : throw new ProjectionException(FormattableString.Invariant($"{shard.Prefix}The ordering {named} is not in the journal; it must be from 0 to {end}."));
    }
}
