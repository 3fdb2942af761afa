using System.Diagnostics;
using System.Diagnostics.Metrics;
using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;

namespace Throttled.Journal.Tests.Diagnostics;

public sealed class StatementTelemetryTests
{
    private const string Duration = "throttled.journal.statement.duration";
    private const string Usage = "throttled.journal.permit.usage";

    private readonly string _name = $"journal-{Guid.NewGuid():N}";

    [Fact]
    public void A_statements_duration_has_the_database_and_the_kind()
    {
        using var world = Open();
        using var telemetry = new Telemetry(_name);
        world.Journal.Append("p", 1, 1);
        world.OpenCurrent("p");
        world.Settle();
        var page = telemetry.TagsOf(Duration).Single(tags => (string)tags["throttled.statement.kind"]! == "page");
        Assert.Equal("scripted", page["db.system.name"]);
        Assert.DoesNotContain("error.type", page.Keys);
        Assert.Equal("page", Assert.Single(telemetry.Statements).DisplayName);
    }

    [Fact]
    public void A_statement_that_fails_has_the_type_of_its_error()
    {
        using var world = Open();
        using var telemetry = new Telemetry(_name);
        world.Journal.Append("p", 1, 1);
        world.Database.Fault = call => call.Kind == CallKind.Pages ? new ScriptedFault(FaultKind.Unreadable) : null;
        world.OpenCurrent("p");
        world.Settle();
        Assert.Equal(typeof(ScriptedFault).FullName, telemetry.TagsOf(Duration).Single(tags => (string)tags["throttled.statement.kind"]! == "page")["error.type"]);
        var activity = Assert.Single(telemetry.Statements);
        Assert.Equal((ActivityStatusCode.Error, typeof(ScriptedFault).FullName), (activity.Status, (string?)activity.GetTagItem("error.type")));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_cancellation_is_a_failure_only_if_it_was_not_requested(bool isRequested)
    {
        using var metrics = Metrics();
        using var telemetry = new Telemetry(_name);
        using var cancellation = new CancellationTokenSource();
        await Assert.ThrowsAsync<OperationCanceledException>(() => metrics.MeasureAsync("page", Fail, cancellation.Token));
        Assert.Equal(!isRequested, Assert.Single(telemetry.TagsOf(Duration)).ContainsKey("error.type"));
        var activity = Assert.Single(telemetry.Statements);
        Assert.Equal(isRequested ? ActivityStatusCode.Unset : ActivityStatusCode.Error, activity.Status);
        Assert.Equal(isRequested, activity.GetTagItem("error.type") is null);

        async Task Fail()
        {
            if (isRequested)
                await cancellation.CancelAsync();
            throw new OperationCanceledException();
        }
    }

    [Fact]
    public void Idle_polls_make_no_trace_and_neither_does_the_driver_in_them()
    {
        using var world = Open();
        using var telemetry = new Telemetry(_name);
        world.Database.Began = _ => telemetry.Driver.StartActivity("statement")?.Dispose();
        world.Journal.Append("p", 1, 1);
        world.Open("p");
        world.Advance(TimeSpan.FromSeconds(10));
        Assert.True(telemetry.TagsOf(Duration).Count(tags => (string)tags["throttled.statement.kind"]! == "keys") >= 3);
        Assert.All(telemetry.Statements, activity => Assert.Equal("page", activity.DisplayName));
        Assert.NotEmpty(telemetry.Statements);
        Assert.All(telemetry.OfDriver, activity => Assert.Contains(telemetry.Statements, statement => statement.SpanId == activity.ParentSpanId));
        Assert.NotEmpty(telemetry.OfDriver);
    }

    [Fact]
    public void A_poll_that_fails_makes_a_trace()
    {
        using var world = Open();
        using var telemetry = new Telemetry(_name);
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(5));
        world.Database.Fault = call => call.Kind == CallKind.Keys ? new ScriptedFault(FaultKind.Transient) : null;
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.Contains(telemetry.Statements, activity => activity is { DisplayName: "keys", Status: ActivityStatusCode.Error, Parent: null });
    }

    [Fact]
    public void The_longest_wait_and_the_requests_that_wait_are_reported()
    {
        using var world = new World(options => options with { Name = _name, MaxConcurrentQueries = 1 });
        using var telemetry = new Telemetry(_name);
        world.IsHeld = call => call.Kind == CallKind.Pages;
        world.OpenCurrent("p");
        world.Settle();
        world.OpenCurrent("q");
        world.Advance(TimeSpan.FromSeconds(8));
        Assert.Equal((1, 1), (telemetry.Last("throttled.journal.permit.usage"), telemetry.Last("throttled.journal.permit.pending_requests")));
        Assert.Equal(8, telemetry.Last("throttled.journal.permit.longest_wait_time"), 0.5);
        world.IsHeld = _ => false;
        world.Settle();
        Assert.Equal((0, 0), (telemetry.Last("throttled.journal.permit.pending_requests"), telemetry.Last("throttled.journal.permit.longest_wait_time")));
    }

    [Fact]
    public void A_rewind_is_counted_with_its_time_and_the_ordering_before_it()
    {
        using var world = Open();
        using var telemetry = new Telemetry(_name);
        world.Journal.Append("p", 1, 5);
        world.OpenAll();
        world.Advance(TimeSpan.FromSeconds(1));
        Assert.DoesNotContain(telemetry.All(), each => each.Instrument.StartsWith("throttled.journal.last_rewind.", StringComparison.Ordinal));
        world.Journal.Rewind(2);
        world.Journal.Append("other", 1, 6);
        world.Advance(TimeSpan.FromSeconds(7));
        Assert.Equal((1, 5), (telemetry.Last("throttled.journal.rewinds"), telemetry.Last("throttled.journal.last_rewind.ordering")));
        Assert.Equal(6.5, telemetry.Last("throttled.journal.last_rewind.age"), 0.5);
    }

    [Fact]
    public void Counters_are_reported_before_their_first_increment_and_stay_when_the_journal_is_opened_again()
    {
        using var telemetry = new Telemetry(_name);
        using (var metrics = Metrics())
        {
            Assert.Equal(0, telemetry.Last("throttled.journal.rewinds"));
            metrics.Rewound(7);
        }
        Assert.Equal(1, telemetry.Last("throttled.journal.rewinds"));
        using var again = Metrics();
        again.Rewound(7);
        Assert.Equal((2, 2), (telemetry.Last("throttled.journal.rewinds"), telemetry.Last("throttled.journal.openings")));
    }

    [Fact]
    public void Journals_with_the_same_name_have_numbers_while_they_are_open()
    {
        using var telemetry = new Telemetry(_name);
        using (Metrics())
        {
            using var second = Metrics();
            using var third = Metrics();
            Assert.Equal([null, 2, 3], Instances());
        }
        using var again = Metrics();
        Assert.Equal([null], Instances());

        // Those of the last observation.
        IEnumerable<int?> Instances()
        {
            var before = telemetry.TagsOf(Usage).Count;
            return telemetry.TagsOf(Usage).Skip(before).Select(tags => (int?)tags.GetValueOrDefault("throttled.journal.instance")).Order();
        }
    }

    [Fact]
    public void No_measurement_and_no_activity_has_a_persistence_id_or_a_tag()
    {
        using var world = Open();
        using var telemetry = new Telemetry(_name);
        world.Journal.Append("secret-id", 1, 3);
        world.Open("secret-id");
        world.OpenTag("secret-tag");
        world.Advance(TimeSpan.FromSeconds(2));
        world.Journal.Append("secret-id", 4, 5);
        world.Advance(TimeSpan.FromSeconds(2));
        var values = telemetry.All().SelectMany(each => each.Tags.Values)
            .Concat(telemetry.Statements.SelectMany(activity => activity.TagObjects.Select(tag => tag.Value).Append(activity.DisplayName)));
        Assert.All(values, value => Assert.DoesNotContain("secret", value!.ToString(), StringComparison.Ordinal));
    }

    [Fact]
    public void A_closed_journal_reports_only_its_counters()
    {
        using var telemetry = new Telemetry(_name);
        Open().Dispose();
        Assert.Equal(
            ["events", "openings", "pages", "retries", "rewinds"], telemetry.All().Select(each => each.Instrument["throttled.journal.".Length..]).Order());
    }

    [Fact]
    public void Meter_and_activity_source_have_the_version_of_the_package()
    {
        var version = typeof(JournalReader).Assembly.GetName().Version!.ToString(3);
        Assert.StartsWith(version, InstrumentationVersion.Of(typeof(JournalReader)), StringComparison.Ordinal);
        Assert.DoesNotContain('+', InstrumentationVersion.Of(typeof(JournalReader)));
        Assert.Equal(InstrumentationVersion.Of(typeof(JournalReader)), JournalInstruments.OfThisProcess.Activities.Version);
        Assert.Equal(InstrumentationVersion.Of(typeof(JournalReader)), JournalInstruments.OfThisProcess.PermitWaitTime.Meter.Version);
    }

    [Fact]
    public void Measurements_allocate_nothing()
    {
        using var metrics = Metrics();
        var counted = 0;
        using var listener = new MeterListener { InstrumentPublished = static (instrument, meters) =>
        {
            if (instrument.Meter.Name == "Throttled.Journal")
                meters.EnableMeasurementEvents(instrument);
        } };
        listener.SetMeasurementEventCallback<long>((_, _, _, _) => Interlocked.Increment(ref counted));
        listener.SetMeasurementEventCallback<double>((_, _, _, _) => Interlocked.Increment(ref counted));
        listener.Start();
        Measure(metrics);
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 1_000; i++)
            Measure(metrics);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.True(counted >= 1_001);
    }

    private static void Measure(JournalMetrics metrics)
    {
        metrics.PageDelivered(10);
        metrics.PermitWaited(TimeSpan.FromMilliseconds(1));
        metrics.Retried();
    }

    private JournalMetrics Metrics() => new("scripted", new() { Name = _name }, new(new JournalClock(TimeProvider.System), () => 0));

    private World Open() => new(options => options with { Name = _name });
}
