namespace Throttled.Faults.World;

/// <summary>One fault, from its beginning to where all is well again.</summary>
/// <param name="Fault">What was broken.</param>
/// <param name="When">What the queries were doing.</param>
/// <param name="Written">Events that were written from its beginning until all queries followed again.</param>
/// <param name="Next">From its end to the next event of any query.</param>
/// <param name="All">From its end until all queries followed.</param>
internal sealed record Strike(string Fault, string When, int Written, TimeSpan Next, TimeSpan All);
