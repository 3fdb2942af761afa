using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Throttled.Projections.Diagnostics;

namespace Throttled.Projections.Tests.Diagnostics;

public sealed class ProjectionMetricsTests : IDisposable
{
    // A unique name: other tests have meters at the same time.
    private readonly string _projection = $"balances-{Guid.NewGuid():N}";
    private readonly ConcurrentQueue<(string Name, string? Version, double Value)> _seen = [];
    private readonly ProjectionMetrics _metrics;
    private readonly MeterListener _listener = new();

    public ProjectionMetricsTests()
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter is { Name: "Throttled.Projections", Tags: { } tags } && tags.Contains(new("throttled.projection.name", _projection)))
                listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => See(instrument, value, tags));
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => See(instrument, value, tags));
        _listener.Start();
        _metrics = new(_projection);
    }

    public void Dispose()
    {
        _listener.Dispose();
        _metrics.Dispose();
    }

    [Fact]
    public void Lane_counters_are_kept_by_version()
    {
        _metrics.Of("live").Committed(500, TimeSpan.FromMilliseconds(250));
        _metrics.Of("rebuilt").Committed(3, TimeSpan.FromSeconds(2));
        _metrics.Of("live").Failed();
        _metrics.Of("live").DeadLettered();
        _metrics.Of("live").Skipped();
        _metrics.Of("live").PassedOver();
        _metrics.Of("live").Unhandled();
        Assert.Equivalent(
            new (string, string?, double)[]
            {
                ("throttled.projection.batches", "live", 1), ("throttled.projection.events", "live", 500),
                ("throttled.projection.transaction.duration", "live", 0.25),
                ("throttled.projection.batches", "rebuilt", 1), ("throttled.projection.events", "rebuilt", 3),
                ("throttled.projection.transaction.duration", "rebuilt", 2),
                ("throttled.projection.failures", "live", 1), ("throttled.projection.dead_lettered", "live", 1), ("throttled.projection.skipped", "live", 1),
                ("throttled.projection.passed_over", "live", 1), ("throttled.projection.unhandled", "live", 1),
            },
            _seen, strict: true);
    }

    [Fact]
    public void Gauges_are_measured_by_version()
    {
        var live = _metrics.Of("live");
        live.SetJournalEnd(100);
        live.Set([Lane(0, LaneState.Running, 95), Lane(1, LaneState.Running, 90), Lane(2, LaneState.Failed, 99)], 90);
        _metrics.Of("gone").SetJournalEnd(1);
        _metrics.Forget("gone");
        _listener.RecordObservableInstruments();
        Assert.Equivalent(
            new (string, string?, double)[]
            {
                ("throttled.projection.offset", "live", 90), ("throttled.projection.journal_end", "live", 100), ("throttled.projection.lag", "live", 10),
                ("throttled.projection.lanes.running", "live", 2), ("throttled.projection.dead_letters", "live", 3),
                ("throttled.projection.buffered", "live", 600),
            },
            _seen, strict: true);
    }

    [Fact]
    public void An_offset_past_the_last_known_journal_end_is_no_lag()
    {
        var live = _metrics.Of("live");
        live.SetJournalEnd(5);
        live.Set([Lane(0, LaneState.Running, 7)], 7);
        Assert.Equal(0, live.Lag);
    }

    private static LaneReport Lane(int lane, LaneState state, long offset) =>
        new(lane, state, null, 0) { Offset = offset, DeadLetters = 1, Buffered = 200 };

    private void See(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        string? version = null;
        foreach (var (key, tagged) in tags)
            version = key == "throttled.projection.version" ? (string?)tagged : version;
        _seen.Enqueue((instrument.Name, version, value));
    }
}
