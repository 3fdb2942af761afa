using CrushTest.Show;

namespace CrushTest.Akka.Show;

/// <summary>The lines of an <see cref="AkkaCrushReport"/>.</summary>
internal static class AkkaCrushRows
{
    internal static IEnumerable<ReportRow> Of(AkkaCrushReport report) =>
        [.. Times(report), .. Flaws(report), .. AtRest(report), .. Memory(report)];

    private static IEnumerable<ReportRow> Times(AkkaCrushReport report)
    {
        var all = (long)report.Streams * report.Events;
        var rounds = report.Rounds == 1 ? "one round" : $"median of {report.Rounds} rounds";
        var where = report.InFlightView is { } view ? $"in {view}" : "at the driver";
        yield return new(
            "live streams × events", $"{report.Streams:N0} × {report.Events:N0}", $"{report.Database}, pages of {report.Page:N0}, {report.Payload}");
        yield return new("plugin, to the last event", $"{report.Seconds:N2} s", rounds);
        yield return new("engine without Akka", $"{report.EngineSeconds:N2} s", "the same queries, read by loops");
        yield return new("empty streams", $"{report.EmptySeconds:N2} s", "the same actors, no journal");
        yield return new("ratio", $"{report.Ratio:N2} ×", "plugin over engine and empty streams");
        yield return new("decoding alone", $"{report.DecodingSeconds:N2} s", "of all payloads, on all cores");
        yield return new("events per second", $"{report.EventsPerSecond:N0}", $"{all:N0} in all");
        yield return new("statements", $"{report.Statements:N0}", "until the last event");
        yield return new("most statements at once", $"{report.MaxInFlight:N0}", $"{where}, with the tail's");
        yield return new("permits", $"{report.PermitsInEffect:N0}", $"in effect, {report.Permits:N0} configured");
    }

    private static IEnumerable<ReportRow> Flaws(AkkaCrushReport report)
    {
        yield return new("failed streams", $"{report.Failed:N0}");
        yield return new("missing", $"{report.Missing:N0}", "events");
        yield return new("doubled", $"{report.Doubled:N0}", "events");
        yield return new("out of order", $"{report.OutOfOrder:N0}", "events");
    }

    private static IEnumerable<ReportRow> AtRest(AkkaCrushReport report)
    {
        yield return new("statements while idle", $"{report.IdleStatementsPerSecond:N1} /s", $"for all {report.Streams:N0} streams together");
        yield return new("delivery, first after idle", $"{report.DeliveryAfterIdleMs:N1} ms", "the tail looks every 1 s");
        yield return new("delivery, median", $"{report.DeliveryP50Ms:N1} ms", "commit to actor, steady writes");
        yield return new("delivery, 99th percentile", $"{report.DeliveryP99Ms:N1} ms");
    }

    private static IEnumerable<ReportRow> Memory(AkkaCrushReport report)
    {
        yield return new("memory per live stream", $"{report.BytesPerLiveStream:N0} B", "with its actor, idle");
        yield return new("memory per empty stream", $"{report.BytesPerEmptyStream:N0} B", "with the same actor");
        yield return new("difference", $"{report.BytesPerLiveStream - report.BytesPerEmptyStream:N0} B", "of plugin and engine");
        yield return new("allocated per event", $"{report.AllocatedPerEvent:N0} B", $"empty streams: {report.AllocatedPerEmptyEvent:N0} B");
        yield return new("peak memory", $"{report.PeakMemoryMb:N0} MB", "whole process, all rounds");
    }
}
