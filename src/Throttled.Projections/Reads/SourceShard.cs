using Throttled.Journal.Queries;
using Throttled.Journal;

namespace Throttled.Projections.Reads;

/// <summary>How one shard of a journal is read; or the whole journal if it is not sharded.</summary>
internal sealed record SourceShard
{
    /// <summary>Its index among the shards that the projection reads, from 0.</summary>
    internal int Index { get; init; }

    /// <summary>The slices of the projection that it has. No lane has these and others.</summary>
    internal SliceRange Slices { get; init; } = SliceRange.All;

    /// <summary>The beginning of its messages; empty if it is the only shard.</summary>
    internal string Prefix { get; init; } = "";

    /// <summary>Reads the projection's events after an ordering, and later events when they come.</summary>
    internal required Func<long, IAsyncEnumerable<JournalEvent>> Open { get; init; }

    /// <summary>Called with that ordering before each read; throws if the shard must not be read.</summary>
    internal Func<long, CancellationToken, Task> Check { get; init; } = static (_, _) => Task.CompletedTask;

    /// <summary>A statement that shows whether the shard answers; null if only events show that it can be read.</summary>
    internal Func<CancellationToken, Task>? Probe { get; init; }

    /// <summary>
    /// Returns the highest ordering that the shard ever issued, or null if it is not known. The function is null if there is nothing to ask.
    /// </summary>
    internal Func<CancellationToken, Task<long?>>? LastIssued { get; init; }

    internal bool Has(SliceRange lane) => Slices.Contains(lane.First) && Slices.Contains(lane.Last);
}

/// <summary>The statements of a runner on one shard of the journal; or on the whole journal if it is not sharded.</summary>
internal sealed record JournalShard
{
    /// <summary>Its number in the journal's map; null if the journal is not sharded.</summary>
    internal int? Number { get; init; }

    /// <summary>The slices of the projection that it has.</summary>
    internal required SliceRange Slices { get; init; }

    /// <summary>The beginning of its messages; empty if it is the only shard.</summary>
    internal string Prefix { get; init; } = "";

    /// <summary>Returns the highest ordering in it.</summary>
    internal required Func<CancellationToken, Task<long>> End { get; init; }

    /// <summary>Returns the first event after an ordering; null if there is none.</summary>
    internal required Func<long, CancellationToken, Task<JournalEvent?>> FirstBehind { get; init; }
}

/// <summary>
/// Divides a journal into the shards that a projection reads. A journal that is not sharded is one shard without a number. Shards without slices of
/// the source are left out.
/// </summary>
internal sealed class JournalReading(JournalReader journal, ProjectionSource source)
{
    private readonly SliceRange _slices = new(source.FirstSlice, source.LastSlice);

    /// <summary>Which shard has which slices; null if there is only one.</summary>
    internal ShardMap? Map { get; } = journal.Journal.Map is { Count: > 1 } map ? map : null;

    internal IReadOnlyList<SourceShard> Reads => [.. Shards.Select((shard, index) =>
    {
        var part = PartOf(shard.Number);
        var reader = new JournalReader(part);
        return new SourceShard
        {
            Index = index,
            Slices = shard.Slices,
            Prefix = shard.Prefix,
            Open = after => Open(reader, shard.Slices, after),
            Probe = part.EndAsync,
            LastIssued = part.LastIssuedAsync,
        };
    })];

    /// <summary>The shards in the order of their slices, as lanes are.</summary>
    internal IReadOnlyList<JournalShard> Shards => [.. new Throttled.Projections.Offsets.LaneLayout(1, Map).ShardsOf(_slices).Select(Shard)];

    private JournalShard Shard(SliceRange slices)
    {
        var number = Map?.ShardOf(slices.First);
        var part = PartOf(number);
        return new()
        {
            Number = number,
            Slices = slices,
            Prefix = ShardIdentity.PrefixOf(number is null ? null : new(Map!, number.Value)),
            End = part.EndAsync,
            FirstBehind = (after, cancellation) => FirstBehindAsync(new(part), after, cancellation),
        };
    }

    private IJournalShard PartOf(int? number) => journal.Journal.Shards[number ?? 0];

    private IAsyncEnumerable<JournalEvent> Open(JournalReader reader, SliceRange slices, long after) => source switch
    {
        { Tag: { } tag } => reader.EventsByTag(tag, after),
        { IsAll: true } => reader.AllEvents(after),
        _ => reader.EventsBySlices(slices.First, slices.Last, after),
    };

    private static async Task<JournalEvent?> FirstBehindAsync(JournalReader reader, long after, CancellationToken cancellation)
    {
        await foreach (var found in reader.CurrentAllEvents(after).WithCancellation(cancellation).ConfigureAwait(false))
            return found;
        return null;
    }
}
