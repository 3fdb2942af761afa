using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Throttled.Projections.Diagnostics;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Diagnostics;

public sealed class ProjectionMetricsTests : IDisposable
{
    // A unique name: other tests have meters at the same time.
    private readonly string _projection = $"balances-{Guid.NewGuid():N}";
    private readonly ConcurrentQueue<(string Name, string? Version, double Value)> _seen = [];
    private readonly ConcurrentQueue<string> _errors = [];
    private readonly ProjectionMetrics _metrics;
    private readonly MeterListener _listener = new();
    private readonly FakeClock _clock = new();

    public ProjectionMetricsTests()
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Throttled.Projections")
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
        _metrics.Of("live").Failed(new TimeoutException());
        _metrics.Of("live").DeadLettered();
        _metrics.Of("live").Skipped();
        _metrics.Of("live").PassedOver();
        _metrics.Of("live").Unhandled();
        _metrics.Dispose();
        _listener.RecordObservableInstruments();
        Assert.Equivalent(
            new (string, string?, double)[]
            {
                ("throttled.projection.dead_lettered", "rebuilt", 0), ("throttled.projection.skipped", "rebuilt", 0),
                ("throttled.projection.passed_over", "rebuilt", 0), ("throttled.projection.unhandled", "rebuilt", 0),
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
        var lag = new ShardLags(_clock, 1);
        lag.Observe([(90, 100)]);
        _clock.Advance(TimeSpan.FromSeconds(7));
        live.SetJournalEnd(100, lag);
        live.Set([Lane(0, LaneState.Running, 95), Lane(1, LaneState.Running, 90), Lane(2, LaneState.Failed, 99)], 90);
        live.UnownedLanes = 2;
        _metrics.Of("gone").SetJournalEnd(1, lag);
        _metrics.Forget("gone");
        _listener.RecordObservableInstruments();
        Assert.Equivalent(
            new (string, string?, double)[]
            {
                ("throttled.projection.offset", "live", 90), ("throttled.projection.journal_end", "live", 100), ("throttled.projection.lag.events", "live", 10),
                ("throttled.projection.lag.time", "live", 7), ("throttled.projection.lane.count idle", "live", 0),
                ("throttled.projection.lane.count running", "live", 2), ("throttled.projection.lane.count retrying", "live", 0),
                ("throttled.projection.lane.count failed", "live", 1), ("throttled.projection.dead_letter.count", "live", 3),
                ("throttled.projection.buffer.usage", "live", 600), ("throttled.projection.unowned_lane.count", "live", 2),
            },
            _seen.Where(each => !IsCounter(each.Name)), strict: true);
    }

    [Fact]
    public void A_process_without_running_lanes_reports_no_lag()
    {
        var live = _metrics.Of("live");
        live.SetJournalEnd(100, new(_clock, 1));
        live.Set([Lane(0, LaneState.Idle, 0)], 0);
        _listener.RecordObservableInstruments();
        Assert.DoesNotContain(_seen, each => each.Name.Contains("lag", StringComparison.Ordinal) || each.Name.EndsWith("offset", StringComparison.Ordinal));
        Assert.Contains(("throttled.projection.lane.count idle", "live", 1), _seen);
    }

    [Fact]
    public void No_progress_is_reported_while_the_read_model_is_unavailable()
    {
        var live = _metrics.Of("live");
        live.SetJournalEnd(100, new(_clock, 1));
        live.Set([Lane(0, LaneState.Retrying, 100)], 100);
        _metrics.IsUnavailable = true;
        _listener.RecordObservableInstruments();
        Assert.Contains(("throttled.projection.lane.count retrying", "live", 1), _seen);
        Assert.DoesNotContain(_seen, each => IsProgress(each.Name));
        _metrics.IsUnavailable = false;
        _listener.RecordObservableInstruments();
        Assert.Equal(5, _seen.Count(each => IsProgress(each.Name)));

        static bool IsProgress(string name) => name is "throttled.projection.offset" or "throttled.projection.journal_end" or "throttled.projection.unowned_lane.count" || name.StartsWith("throttled.projection.lag.", StringComparison.Ordinal);
    }

    [Fact]
    public void An_offset_past_the_last_known_journal_end_is_no_lag()
    {
        var live = _metrics.Of("live");
        live.SetJournalEnd(5, new(_clock, 1));
        live.Set([Lane(0, LaneState.Running, 7)], 7);
        Assert.Equal(0, live.Lag);
    }

    [Fact]
    public void A_failure_has_the_type_of_its_error()
    {
        _metrics.Of("live").Failed(new TimeoutException());
        _listener.RecordObservableInstruments();
        Assert.Equal(typeof(TimeoutException).FullName, Assert.Single(_errors));
    }

    [Fact]
    public void Of_a_closed_projection_only_the_counters_are_reported()
    {
        _metrics.Of("live").SetJournalEnd(5, new(_clock, 1));
        _metrics.Dispose();
        _listener.RecordObservableInstruments();
        Assert.All(_seen, each => Assert.True(IsCounter(each.Name)));
    }

    [Fact]
    public void A_batch_is_a_trace_and_an_idle_batch_is_none()
    {
        ConcurrentQueue<Activity> stopped = [];
        using var listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == "Throttled.Projections",
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = activity =>
            {
                if (Equals(activity.GetTagItem("throttled.projection.name"), _projection))
                    stopped.Enqueue(activity);
            },
        };
        ActivitySource.AddActivityListener(listener);
        using var ofTheCaller = new Activity("caller").Start();
        _metrics.Of("live").StartBatch(3, 500)!.Dispose();
        using (var idle = _metrics.Of("live").StartBatch(3, 0))
            Assert.False(idle!.Recorded);
        var batch = Assert.Single(stopped);
        Assert.Equal(("batch", default(ActivitySpanId)), (batch.DisplayName, batch.ParentSpanId));
        Assert.Equal(3, batch.GetTagItem("throttled.lane.number"));
        Assert.Equal(500, batch.GetTagItem("throttled.batch.size"));
    }

    private static bool IsCounter(string name) =>
        name["throttled.projection.".Length..] is "events" or "batches" or "dead_lettered" or "skipped" or "passed_over" or "unhandled" or "failures";

    private static LaneReport Lane(int lane, LaneState state, long offset) =>
        new(lane, state, null, 0) { Offset = offset, DeadLetters = 1, Buffered = 200 };

    private void See(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var byName = tags.ToArray().ToDictionary(StringComparer.Ordinal);
        if (!Equals(byName["throttled.projection.name"], _projection))
            return;
        var state = byName.TryGetValue("throttled.lane.state", out var found) ? $" {found}" : "";
        _seen.Enqueue((instrument.Name + state, (string?)byName["throttled.projection.version"], value));
        if (byName.TryGetValue("error.type", out var error))
            _errors.Enqueue((string)error!);
    }
}
