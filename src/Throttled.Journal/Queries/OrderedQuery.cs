using Throttled.Journal.Sql;

namespace Throttled.Journal.Queries;

/// <summary>Events in the order of the journal.</summary>
/// <param name="Filter">Which.</param>
/// <param name="After">The ordering behind which they begin.</param>
/// <param name="IsLive">Whether the query goes on at the end of the journal.</param>
internal readonly record struct OrderedQuery(EventFilter Filter, long After, bool IsLive)
{
    /// <summary>
    /// If above 0, the query begins with the n-th last event at its start, or with the first if there are fewer, and <see cref="After"/>
    /// is ignored. If 0, it begins after <see cref="After"/>.
    /// </summary>
    internal int FromEnd { get; init; }
}
