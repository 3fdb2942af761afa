using Throttled.Journal;

namespace Throttled.Projections.Running;

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
