namespace Throttled.Faults.World;

/// <summary>One fault, from its start until all queries follow again.</summary>
/// <param name="Fault">The name of the fault.</param>
/// <param name="When">The state of the queries.</param>
/// <param name="Written">The number of events that were written until all queries followed again.</param>
/// <param name="Next">The time from its end to the next event of any query.</param>
/// <param name="All">The time from its end until all queries followed.</param>
internal sealed record Strike(string Fault, string When, int Written, TimeSpan Next, TimeSpan All);
