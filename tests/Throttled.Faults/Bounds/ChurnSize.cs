namespace Throttled.Faults.Bounds;

/// <summary>The size of a churn.</summary>
/// <param name="Places">The number of queries at a time.</param>
/// <param name="Rounds">The number of rounds. Each round leaves and replaces a quarter of the queries.</param>
internal sealed record ChurnSize(int Places, int Rounds)
{
    internal const int StepsOfRound = 5;

    internal int Step => Math.Max(1, Places / 4 / StepsOfRound);

    /// <summary>Whether its memory is large enough to be measured in this process.</summary>
    internal bool MeasuresMemory => Places >= 10_000;

    /// <summary>A quarter of the rounds.</summary>
    internal int Quarter => Math.Max(1, Rounds / 4);
}
