using Throttled.Journal.Queries;
using Throttled.Projections.Offsets;

namespace Throttled.Projections.Reads;

internal sealed record SourceShard
{
    internal int Index { get; init; }

    /// <summary>Its number in the journal's map.</summary>
    internal int Number { get; init; }

    internal SliceRange Slices { get; init; } = SliceRange.All;

    /// <summary>The beginning of its messages; empty if it is the only shard.</summary>
    internal string Prefix { get; init; } = "";

    internal required Func<long, IAsyncEnumerable<JournalEvent>> Open { get; init; }

    /// <summary>Opens the query for some slices only; null if that saves nothing.</summary>
    internal Func<long, SliceRange, IAsyncEnumerable<JournalEvent>>? OpenSlices { get; init; }

    internal required Func<long, CancellationToken, Task<JournalEvent?>> FirstAfter { get; init; }

    internal required Func<CancellationToken, Task<long>> End { get; init; }

    /// <summary>Returns the ordering after which every event is delivered that commits from now on.</summary>
    internal required Func<CancellationToken, Task<long>> Now { get; init; }

    /// <summary>Returns the highest ordering that the shard ever issued; null if it is not known.</summary>
    internal required Func<CancellationToken, Task<long?>> LastIssued { get; init; }

    /// <summary>The shards that have slices of the source, in the order of their slices, as lanes are.</summary>
    internal static IReadOnlyList<SourceShard> Of(JournalReader journal, ProjectionSource source) =>
    [
        .. new LaneLayout(1, MapOf(journal)).ShardsOf(new(source.FirstSlice, source.LastSlice))
            .Select((slices, index) => Of(journal, source, slices) with { Index = index }),
    ];

    internal static ShardMap MapOf(JournalReader journal) => journal.Journal.Map ?? ShardMap.Even(1);

    internal bool Has(SliceRange lane) => Slices.Contains(lane.First) && Slices.Contains(lane.Last);

    /// <summary>
    /// Refuses a journal that has issued fewer orderings than the lanes have handled. New events would get orderings that the lanes have passed, and
    /// would never be handled.
    /// </summary>
    internal async Task CheckAsync(long handled, CancellationToken cancellation)
    {
        // A lane that has handled nothing cannot be ahead.
        if (handled > 0 && await LastAsync(cancellation).ConfigureAwait(false) is { } last && last < handled)
        {
            throw new ProjectionException(FormattableString.Invariant(
                $"{Prefix}The read model has handled the journal up to ordering {handled}, but this journal has issued orderings only up to {last}: it was restored or emptied, or it is another journal. ")
                + "New events would be skipped as already handled. Restore the read model to the same time and resume it, or reset it.");
        }
    }

    // The reader repeats the read after a JournalException.
    private async Task<long?> LastAsync(CancellationToken cancellation)
    {
        try
        {
            return await LastIssued(cancellation).ConfigureAwait(false);
        }
        catch (Exception error) when (error is not (JournalException or ObjectDisposedException) && !cancellation.IsCancellationRequested)
        {
            throw new JournalException(Prefix + error.Message, error);
        }
    }

    private static SourceShard Of(JournalReader journal, ProjectionSource source, SliceRange slices)
    {
        var map = MapOf(journal);
        var number = map.ShardOf(slices.First);
        var shard = journal.Journal.Shards[number];
        var reader = new JournalReader(shard);
        return new()
        {
            Number = number,
            Slices = slices,
            Prefix = ShardIdentity.PrefixOf(new(map, number)),
            Open = after => source switch
            {
                { Tag: { } tag } => reader.EventsByTag(tag, after),
                { HasAllSlices: true } => reader.AllEvents(after),
                _ => reader.EventsBySlices(slices.First, slices.Last, after),
            },
            OpenSlices = shard.DividesSlices
                ? (after, lanes) => shard.Events(new OrderedQuery(new() { Tag = source.Tag, Slices = lanes }, after, IsLive: true))
                : null,
            FirstAfter = (after, cancellation) => FirstAfterAsync(reader, after, cancellation),
            End = shard.EndAsync,
            Now = shard.NowAsync,
            LastIssued = shard.LastIssuedAsync,
        };
    }

    private static async Task<JournalEvent?> FirstAfterAsync(JournalReader reader, long after, CancellationToken cancellation)
    {
        await foreach (var found in reader.CurrentAllEvents(after).WithCancellation(cancellation).ConfigureAwait(false))
            return found;
        return null;
    }
}
