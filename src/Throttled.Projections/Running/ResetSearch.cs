using Throttled.Projections.Offsets;
using Throttled.Projections.Reads;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Running;

internal sealed class ResetSearch(ProjectionContext context)
{
    internal async Task<ResetPoint> FindAsync(CommandRow command, CancellationToken cancellation)
    {
        var named = Named(command);
        // A journal that is not sharded takes any ordering. Whether it is in range is checked in the shard.
        long? ordering = context.Map.Count == 1 && command.Timestamp is null && command.ShardedOffset is null ? command.Ordering : null;
        var rows = new List<SliceOffset>();
        foreach (var shard in context.Shards)
            rows.Add(new(shard.Slices, await FindAsync(shard, ordering ?? named?[shard.Number], command, cancellation).ConfigureAwait(false), 0));
        return new(rows, context.Map);
    }

    // Null if the reset names a time.
    private ShardedPosition? Named(CommandRow command)
    {
        if (command.Timestamp is not null)
            return null;
        if (command.ShardedOffset is { } place)
            return On(context.Map, place);
        if (command.Ordering is not (null or 0) && context.Map.Count > 1)
            throw new ProjectionException(FormattableString.Invariant(
                $"The ordering {command.Ordering} is ambiguous: the journal has {context.Map.Count} shards, and each numbers its own events. Reset to a time, to the start, or to a ")
                + $"{nameof(ShardedPosition)}; for an ordering from before the journal was divided, that is {nameof(ShardedPosition)}.{nameof(ShardedPosition.At)}.");
        return ShardedPosition.At(context.Map);
    }

    private static ShardedPosition On(ShardMap map, string offset)
    {
        try
        {
            return ShardedPosition.Parse(offset).On(map);
        }
        catch (Exception error) when (error is ArgumentException or FormatException)
        {
            throw new ProjectionException(error.Message);
        }
    }

    private static async Task<long> FindAsync(SourceShard shard, long? named, CommandRow command, CancellationToken cancellation)
    {
        // A reset to the start needs no query to the journal.
        if (named == 0)
            return 0;
        var end = await shard.End(cancellation).ConfigureAwait(false);
        if (named is null)
            return await new OrderingSearch(shard.FirstAfter).LastBeforeAsync(command.Timestamp ?? 0, end, cancellation).ConfigureAwait(false);
        return named >= 0 && named <= end
            ? named.Value
            : throw new ProjectionException(FormattableString.Invariant($"{shard.Prefix}The ordering {named} is not in the journal; it must be from 0 to {end}."));
    }
}

/// <summary>
/// Finds the ordering of a time by binary search. If the clocks of several writers differ, it returns one of the places where older events meet
/// newer ones. Events without a timestamp count as old.
/// </summary>
internal sealed class OrderingSearch(Func<long, CancellationToken, Task<JournalEvent?>> firstAfter)
{
    /// <summary>Returns the ordering of the last event that is older than the time; 0 if there is none.</summary>
    internal async Task<long> LastBeforeAsync(long ticks, long end, CancellationToken cancellation)
    {
        var (older, bound) = (0L, end);
        while (older < bound)
        {
            var middle = older + ((bound - older) / 2);
            if (await firstAfter(middle, cancellation).ConfigureAwait(false) is { } found && found.Ordering <= bound && found.Timestamp < ticks)
                older = found.Ordering;
            else
                bound = middle;
        }
        return older;
    }
}
