using System.Globalization;

namespace CrushTest.Show;

internal sealed record ReportRow(string Name, string Value, string Note = "");

internal static class CrushRows
{
    internal static IEnumerable<ReportRow> Of(CrushReport report) =>
        [.. Times(report), .. Statements(report), .. Flaws(report), .. AtRest(report), .. Memory(report), .. (report.Beside ?? []).SelectMany(run => Beside(run, report))];

    private static IEnumerable<ReportRow> Times(CrushReport report)
    {
        yield return new(
            report.HasActors ? "actors × events" : "live queries × events", $"{report.Streams:N0} × {report.EventsPerStream:N0}",
            $"{report.Database}, pages of {report.Page:N0}, {report.Payload}");
        if (report.Shards > 1)
            yield return new("databases", $"{report.Shards:N0}", "divided by persistence id");
        yield return new("time to the last event", $"{report.Seconds:N2} s", report.Rounds == 1 ? "one round" : $"median of {report.Rounds} rounds");
        yield return new("events per second", $"{report.EventsPerSecond:N0}", $"{report.AllEvents:N0} in all");
        yield return new("raw floor", $"{report.FloorSeconds:N2} s", "the same rows by the bare driver");
        yield return new("ratio", $"{report.Ratio:N2} ×", "time divided by the raw floor");
        if (report.HasActors)
        {
            yield return new("engine alone", $"{report.EngineSeconds:N2} s", "the same queries, read by loops");
            if (report.SubscriptionSeconds is { } subscriptions)
                yield return new("subscriptions", $"{subscriptions:N2} s", $"the same actors without streams, {report.SubscriptionRatioToEngine:N2} × the engine");
            if (report.EmptySeconds is { } empty)
            {
                yield return new("empty streams", $"{empty:N2} s", "the same actors, no journal");
                yield return new("ratio to both", $"{report.RatioToParts:N2} ×", "time divided by engine + empty streams");
            }
            yield return new("decoding alone", $"{report.DecodingSeconds:N2} s", "all payloads, on all cores");
        }
        yield return new(
            "processor time per event", $"{report.CpuPerEvent:N2} µs",
            $"the floor's {report.FloorCpuPerEvent:N2} µs{(report.Database == "SQLite" ? "" : ", both without the server")}");
    }

    private static IEnumerable<ReportRow> Statements(CrushReport report)
    {
        yield return new("statements", $"{report.Statements:N0}", "until the last event");
        yield return new(
            "most statements at once", $"{report.MaxInFlight:N0}", $"{(report.InFlightView is { } view ? $"in {view}" : "at the driver")}");
        yield return new(
            "permits", $"{report.PermitsInEffect.Sum():N0}",
            $"in effect{(report.Shards > 1 ? $" ({string.Join(" + ", report.PermitsInEffect)})" : "")}, of {report.Permits:N0} per database");
    }

    private static IEnumerable<ReportRow> Flaws(CrushReport report)
    {
        yield return new("failed queries", $"{report.Failed:N0}");
        yield return new("missing", $"{report.Missing:N0}", "events");
        yield return new("doubled", $"{report.Doubled:N0}", "events");
        yield return new("out of order", $"{report.OutOfOrder:N0}", "events");
    }

    private static IEnumerable<ReportRow> AtRest(CrushReport report)
    {
        yield return new("statements while idle", $"{report.IdleStatementsPerSecond:N1} /s", $"for all {report.Streams:N0} queries together");
        yield return new("delivery, first after idle", $"{report.DeliveryAfterIdleMs:N1} ms", $"one poll every {report.RefreshIntervalMs:N0} ms");
        yield return new("delivery, median", $"{report.DeliveryP50Ms:N1} ms", "commit to arrival, steady writes");
        yield return new("delivery, 99th percentile", $"{report.DeliveryP99Ms:N1} ms");
    }

    private static IEnumerable<ReportRow> Memory(CrushReport report)
    {
        if (report.BytesPerLiveQuery is { } query)
            yield return new("memory per live query", $"{query:N0} B", "the engine's, idle");
        if (report is { BytesPerLiveStream: { } live, BytesPerEmptyStream: { } empty })
            yield return new("memory per live stream", $"{live:N0} B", $"with its actor, idle; empty stream {empty:N0} B");
        if (report.BytesPerLiveSubscription is { } subscription)
            yield return new("memory per live subscription", $"{subscription:N0} B", "with its actor, idle");
        string?[] others =
        [
            report.AllocatedPerSubscriptionEvent is { } allocated ? $"subscriptions: {allocated:N0} B" : null,
            report.AllocatedPerEmptyEvent is { } ofEmpty ? $"empty streams: {ofEmpty:N0} B" : null,
        ];
        yield return new(
            "allocated per event", $"{report.AllocatedPerEvent:N0} B",
            report.HasActors ? string.Join(", ", others.OfType<string>()) : "the engine's, without the payload");
        yield return new("peak memory", $"{report.PeakMemoryMb:N0} MB", "whole process, all rounds");
    }

    private static IEnumerable<ReportRow> Beside(BesideReport run, CrushReport report)
    {
        yield return new(run.Plugin, $"{run.Seconds:N2} s", string.Create(CultureInfo.InvariantCulture, $"query-throttle-timeout = {run.TimeoutSeconds}s"));
        yield return run.Ratio is { } ratio
            ? new("  ratio to ours", $"{ratio:N1} ×", "all streams reached the last event")
            : new("  reached the last event", $"{run.Complete:N0}", $"of {report.Streams:N0} streams; {run.Delivered:N0} events arrived");
        yield return new("  failed queries", $"{run.Failed:N0}", run.FirstFailure ?? "");
        yield return new("  allocated per event", $"{run.AllocatedPerEvent:N0} B", $"peak memory {run.PeakMemoryMb:N0} MB");
    }
}
