using Throttled.Journal.Queries;
using Throttled.Journal;

namespace Throttled.Projections.Reads;

/// <summary>How one shard of a journal is read, or all of one that is not sharded.</summary>
internal sealed record SourceShard
{
    /// <summary>Its place among those that the projection reads, from 0.</summary>
    internal int Index { get; init; }

    /// <summary>The slices of the projection that it has; no lane has others beside them.</summary>
    internal SliceRange Slices { get; init; } = SliceRange.All;

    /// <summary>What messages of it begin with; nothing where it is the only one.</summary>
    internal string Prefix { get; init; } = "";

    /// <summary>Reads the events of the projection behind an ordering, and those to come.</summary>
    internal required Func<long, IAsyncEnumerable<JournalEvent>> Open { get; init; }

    /// <summary>Called with that ordering before each; throws where it must not be read.</summary>
    internal Func<long, CancellationToken, Task> Check { get; init; } = static (_, _) => Task.CompletedTask;

    /// <summary>Asks it for something; null where only events show that it can be read.</summary>
    internal Func<CancellationToken, Task>? Probe { get; init; }

    /// <summary>Asks for the highest ordering that it ever issued, null where it cannot tell; null where nobody is asked.</summary>
    internal Func<CancellationToken, Task<long?>>? LastIssued { get; init; }

    internal bool Has(SliceRange lane) => Slices.Contains(lane.First) && Slices.Contains(lane.Last);
}

/// <summary>What a runner asks one shard of the journal, or all of one that is not sharded.</summary>
internal sealed record JournalShard
{
    /// <summary>Its number in the journal's map; null where the journal is not sharded.</summary>
    internal int? Number { get; init; }

    /// <summary>The slices of the projection that it has.</summary>
    internal required SliceRange Slices { get; init; }

    /// <summary>What messages of it begin with; nothing where it is the only one.</summary>
    internal string Prefix { get; init; } = "";

    /// <summary>The highest ordering in it.</summary>
    internal required Func<CancellationToken, Task<long>> End { get; init; }

    /// <summary>The first event in it behind an ordering; null where there is none.</summary>
    internal required Func<long, CancellationToken, Task<JournalEvent?>> FirstBehind { get; init; }
}

/// <summary>Takes a journal apart into its shards, as a projection reads them and asks them. One that is not sharded is one shard without a number.</summary>
/// <param name="journal">The journal.</param>
/// <param name="source">What is read of it; shards that have nothing of it are left out.</param>
internal sealed class JournalReading(JournalReader journal, ProjectionSource source)
{
    private readonly SliceRange _slices = new(source.FirstSlice, source.LastSlice);

    /// <summary>Which shard has which slices; null where there is only one.</summary>
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

    /// <summary>In the order of their slices, as lanes are.</summary>
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
