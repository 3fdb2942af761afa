using Throttled.Journal;

namespace Throttled.Projections.Reads;

/// <summary>How one shard of a journal is read, or all of one that is not sharded.</summary>
internal sealed record ShardReads
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
    internal Func<CancellationToken, Task>? Ask { get; init; }

    /// <summary>Asks for the highest ordering that it ever issued, null where it cannot tell; null where nobody is asked.</summary>
    internal Func<CancellationToken, Task<long?>>? LastGivenOut { get; init; }

    internal bool Has(SliceRange lane) => Slices.Contains(lane.First) && Slices.Contains(lane.Last);
}
