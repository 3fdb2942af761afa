using System.Diagnostics;

namespace CrushTest.Engine;

/// <summary>Waits for a task as long as there is progress.</summary>
internal static class Progress
{
    /// <summary>If nothing is delivered for this long, the wait ends.</summary>
    internal static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <param name="moved">Grows while something is delivered.</param>
    /// <param name="limit">The longest wait; null for none.</param>
    internal static async Task WaitAsync(Task end, Func<long> moved, TimeSpan? limit, CancellationToken cancellation)
    {
        var waited = Stopwatch.StartNew();
        for (var before = -1L; moved() is var now && now != before && !(waited.Elapsed >= limit);)
        {
            before = now;
            var left = TimeSpan.FromTicks(Math.Clamp((limit - waited.Elapsed)?.Ticks ?? long.MaxValue, 0, Patience.Ticks));
            if (await Task.WhenAny(end, Task.Delay(left, cancellation)) == end)
                return;
            cancellation.ThrowIfCancellationRequested();
        }
    }
}
