using Throttled.Journal;
using Throttled.Projections.Positions;

namespace Throttled.Projections.Store;

/// <summary>One read model of a projection; one row of the projection table.</summary>
/// <param name="Target">Its name.</param>
/// <param name="Name">The projection's.</param>
/// <param name="Role">Whether it is the one that is read.</param>
/// <param name="Source">What is read of the journal, as <see cref="ProjectionSource.ToString"/> says it.</param>
/// <param name="Lanes">How many lanes it has.</param>
/// <param name="Epoch">Which layout of the lanes it is: the first is the Unix time of its making in ms, each later one 1 above.</param>
/// <param name="IsPaused">Whether it is paused by a command.</param>
/// <param name="Resumes">How often it was resumed: lanes that failed before are tried again.</param>
/// <param name="Head">The end of a journal that is not sharded, as it was seen last; 0 where it was not.</param>
internal sealed record TargetRow(
    string Target, string Name, TargetRole Role, string Source, int Lanes, long Epoch, bool IsPaused, long Resumes, long Head)
{
    /// <summary>The shards of the journal whose orderings its offsets are; null where it is not sharded.</summary>
    internal ShardMap? Map { get; init; }

    /// <summary>The end of each shard as it was seen last; 0 where it was not.</summary>
    internal IReadOnlyList<long> Heads { get; init; } = [];

    /// <summary>What its offsets tell of.</summary>
    internal HandledEvents Handled { get; init; }

    internal LaneDivision Division => new(Lanes, Map);

    /// <summary>The end as it was seen last of a shard, or of a journal that is not sharded.</summary>
    internal long HeadOf(int? shard) => shard is { } number ? Heads.ElementAtOrDefault(number) : Head;
}
