using Throttled.Journal;

namespace Throttled.Projections.Store;

/// <summary>Who runs a lane, and how it does; one row of the lane table.</summary>
/// <param name="Target">The read model.</param>
/// <param name="Lane">From 0.</param>
/// <param name="Slices">Its slices.</param>
/// <param name="Owner">The process that claims it; null where none does, or its claim has expired by the database's clock.</param>
/// <param name="State">How it does.</param>
/// <param name="Error">Why it does not run; null where it does.</param>
internal sealed record LaneRow(string Target, int Lane, SliceRange Slices, string? Owner, LaneState State, string? Error)
{
    /// <summary>The process whose claim has expired, where nobody has taken the lane since; null otherwise.</summary>
    internal string? Expired { get; init; }
}
