using Throttled.Projections.Offsets;
using Throttled.Projections.Reads;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Running;

/// <summary>Finds the orderings at which a reset continues or a new read model begins.</summary>
internal sealed class PointSearch(ProjectionContext context)
{
    /// <summary>Finds where a reset goes on. The start of the version needs no query to the journal.</summary>
    /// <exception cref="ProjectionException">The command names no place in this journal.</exception>
    internal async Task<JournalPoint> FindAsync(CommandRow command, VersionRow version, CancellationToken cancellation)
    {
        if (command.IsToStart)
            return Within(version.StartOn(context.Map));
        var find = Of(StartOf(command));
        var rows = new List<SliceOffset>();
        foreach (var shard in context.Shards)
            rows.Add(await find(shard, cancellation).ConfigureAwait(false));
        return new(rows, context.Map);
    }

    /// <summary>Returns the search in one shard.</summary>
    /// <exception cref="ProjectionException">It is no place in this journal.</exception>
    internal Func<SourceShard, CancellationToken, Task<SliceOffset>> Of(ProjectionStart start)
    {
        var named = Named(start);
        // A journal that is not sharded takes any ordering. Whether it is in range is checked in the shard.
        var ordering = context.Map.Count == 1 ? start.Ordering : null;
        return async (shard, cancellation) =>
            new(shard.Slices, await FindAsync(shard, ordering ?? named?[shard.Number], start.Time, cancellation).ConfigureAwait(false), 0);
    }

    private JournalPoint Within(JournalPoint point) => point with
    {
        Rows = [.. context.Shards.Select(shard => new SliceOffset(shard.Slices, ShardOffsets.Lowest(point.Rows, shard.Slices), 0))],
    };

    private static ProjectionStart StartOf(CommandRow command)
    {
        if (command.Timestamp is { } ticks)
            return ProjectionStart.At(new(Math.Clamp(ticks, 0, DateTimeOffset.MaxValue.Ticks), TimeSpan.Zero));
        if (command.ShardedOffset is { } offset)
            return ProjectionStart.After(Valid(() => ShardedPosition.Parse(offset)));
        return command.Ordering is >= 0 and var ordering ? ProjectionStart.After(ordering)
            : throw new ProjectionException(FormattableString.Invariant($"The ordering {command.Ordering} is not in the journal; it must be 0 or more."));
    }

    // Null if only the journal shows the place.
    private ShardedPosition? Named(ProjectionStart start)
    {
        if (start.Offset is { } offset)
            return Valid(() => offset.On(context.Map));
        if (start.Ordering is > 0 && context.Map.Count > 1)
            throw new ProjectionException(FormattableString.Invariant(
                $"The ordering {start.Ordering} is ambiguous: the journal has {context.Map.Count} shards, and each numbers its own events. Use a time, the start, or a ")
                + $"{nameof(ShardedPosition)}; for an ordering from before the journal was divided, that is {nameof(ShardedPosition)}.{nameof(ShardedPosition.At)}.");
        return start.IsFirstEvent ? ShardedPosition.At(context.Map) : null;
    }

    private static ShardedPosition Valid(Func<ShardedPosition> position)
    {
        try
        {
            return position();
        }
        catch (Exception error) when (error is ArgumentException or FormatException)
        {
            throw new ProjectionException(error.Message);
        }
    }

    private static async Task<long> FindAsync(SourceShard shard, long? named, long? ticks, CancellationToken cancellation)
    {
        // The first event needs no query to the journal.
        if (named == 0)
            return 0;
        if (named is not { } ordering)
        {
            // Never above this: an open transaction may have an event with a later time and a lower ordering.
            var now = await shard.Now(cancellation).ConfigureAwait(false);
            return ticks is { } time ? await new OrderingSearch(shard.FirstAfter).LastBeforeAsync(time, now, cancellation).ConfigureAwait(false) : now;
        }
        var end = await shard.End(cancellation).ConfigureAwait(false);
        return ordering <= end
            ? ordering
            : throw new ProjectionException(FormattableString.Invariant($"{shard.Prefix}The ordering {ordering} is not in the journal; it must be from 0 to {end}."));
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
