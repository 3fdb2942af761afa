namespace Throttled.Faults.Bounds;

/// <summary>The managed heap of this process.</summary>
internal static class Heap
{
    /// <summary>Its bytes after several full collections. After one collection, a twentieth of the heap may still be garbage.</summary>
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
