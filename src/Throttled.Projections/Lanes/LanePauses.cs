using Throttled.Journal.Loop;

namespace Throttled.Projections.Lanes;

/// <summary>The pauses of one lane between attempts. A lane that is told to stop does not wait for them.</summary>
internal sealed class LanePauses(LaneParts parts, CancellationToken stopping)
{
    /// <param name="failures">How many attempts failed before the one that just did.</param>
    /// <exception cref="OperationCanceledException">The lane is to stop.</exception>
    internal Task WaitAsync(int failures) => Task.Delay(BackOff.Delay(failures, parts.Random()), parts.Time, stopping);
}
