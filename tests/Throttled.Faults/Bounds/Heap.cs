namespace Throttled.Faults.Bounds;

/// <summary>The managed heap of this process.</summary>
internal static class Heap
{
    /// <summary>Its bytes behind full collections. One alone collects until a twentieth of the heap changes, which may be more than what is measured.</summary>
    internal static long Kept()
    {
        for (var i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        return GC.GetTotalMemory(forceFullCollection: true);
    }
}
