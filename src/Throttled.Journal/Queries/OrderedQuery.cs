using Throttled.Journal.Sql;

namespace Throttled.Journal.Queries;

/// <summary>Events in the order of the journal.</summary>
/// <param name="Filter">Which.</param>
/// <param name="After">The ordering behind which they begin.</param>
/// <param name="IsLive">Whether the query goes on at the end of the journal.</param>
internal readonly record struct OrderedQuery(EventFilter Filter, long After, bool IsLive)
{
    /// <summary>
    /// Begins with the so many-th event from the end of the journal as it is when the query starts, or with the first where there are fewer; <see cref="After"/>
    /// does not matter then. 0 begins behind <see cref="After"/>.
    /// </summary>
    internal int FromEnd { get; init; }
}
