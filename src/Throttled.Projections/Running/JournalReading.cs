using Throttled.Journal;
using Throttled.Journal.Queries;
using Throttled.Projections.Reads;

namespace Throttled.Projections.Running;

/// <summary>Takes a journal apart into its shards, as a projection reads them and asks them. One that is not sharded is one shard without a number.</summary>
/// <param name="journal">The journal.</param>
/// <param name="source">What is read of it; shards that have nothing of it are left out.</param>
internal sealed class JournalReading(JournalReader journal, ProjectionSource source)
{
    private readonly SliceRange _slices = new(source.FirstSlice, source.LastSlice);

    /// <summary>Which shard has which slices; null where there is only one.</summary>
    internal ShardMap? Map { get; } = journal.Journal.Map is { Count: > 1 } map ? map : null;

    internal IReadOnlyList<ShardReads> Reads => [.. Shards.Select((shard, index) =>
    {
        var part = PartOf(shard.Number);
        var reader = new JournalReader(part);
        return new ShardReads
        {
            Index = index,
            Slices = shard.Slices,
            Prefix = shard.Prefix,
            Open = after => Open(reader, shard.Slices, after),
            Ask = part.EndAsync,
            LastGivenOut = part.LastIssuedAsync,
        };
    })];

    /// <summary>In the order of their slices, as lanes are.</summary>
    internal IReadOnlyList<JournalShard> Shards => [.. new Positions.LaneDivision(1, Map).ShardsOf(_slices).Select(Shard)];

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
