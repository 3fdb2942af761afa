namespace Throttled.Faults.Bounds;

/// <summary>How much churn there is.</summary>
/// <param name="Places">Queries at a time.</param>
/// <param name="Rounds">Rounds, in each of which a quarter as many are left and opened anew.</param>
internal sealed record ChurnSize(int Places, int Rounds)
{
    internal const int StepsOfRound = 5;

    internal int Step => Math.Max(1, Places / 4 / StepsOfRound);

    /// <summary>Whether its memory stands out from what else the process does.</summary>
    internal bool MeasuresMemory => Places >= 10_000;

    /// <summary>A quarter of the rounds.</summary>
    internal int Quarter => Math.Max(1, Rounds / 4);
}
