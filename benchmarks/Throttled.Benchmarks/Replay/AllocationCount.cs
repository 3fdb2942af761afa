using System.Diagnostics.Tracing;
using System.Globalization;

namespace Throttled.Benchmarks.Replay;

/// <summary>
/// Counts the bytes allocated in the process, from the collector's events, one for each 100 kB. The collector's own counter
/// does not include heaps that the server collector has released meanwhile, which may be gigabytes.
/// </summary>
// https://learn.microsoft.com/dotnet/fundamentals/diagnostics/runtime-garbage-collection-events (GCAllocationTick)
internal sealed class AllocationCount : EventListener
{
    private const EventKeywords Collector = (EventKeywords)1;
    private const string Amount = "AllocationAmount64";

    private long _bytes;

    internal long Bytes => Interlocked.Read(ref _bytes);

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == "Microsoft-Windows-DotNETRuntime")
            EnableEvents(eventSource, EventLevel.Verbose, Collector);
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (eventData.PayloadNames?.IndexOf(Amount) is >= 0 and var place)
            Interlocked.Add(ref _bytes, Convert.ToInt64(eventData.Payload![place], CultureInfo.InvariantCulture));
    }
}
