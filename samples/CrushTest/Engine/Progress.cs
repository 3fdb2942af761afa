namespace CrushTest.Engine;

/// <summary>Waits for an end as long as something still moves.</summary>
internal static class Progress
{
    /// <summary>With nothing delivered for so long, something was lost.</summary>
    internal static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <param name="end">What is waited for.</param>
    /// <param name="moved">Grows while something is delivered.</param>
    /// <param name="cancellation">Ends the wait.</param>
    internal static async Task WaitAsync(Task end, Func<long> moved, CancellationToken cancellation)
    {
        for (var before = -1L; moved() is var now && now != before;)
        {
            before = now;
            if (await Task.WhenAny(end, Task.Delay(Patience, cancellation)) == end)
                return;
            cancellation.ThrowIfCancellationRequested();
        }
    }
}
