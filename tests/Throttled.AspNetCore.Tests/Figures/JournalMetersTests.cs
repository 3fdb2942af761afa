using System.Diagnostics.Metrics;
using Throttled.AspNetCore.Figures;
using Throttled.Testing.Scripted;

namespace Throttled.AspNetCore.Tests.Figures;

/// <summary>The figures of journals that only have a meter.</summary>
public sealed class JournalMetersTests : IDisposable
{
    private readonly string _name = $"journal-{Guid.NewGuid():N}";
    private readonly FakeClock _clock = new();
    private readonly Meter _meter = new("Throttled.Journal");
    private readonly JournalMeters _meters;

    public JournalMetersTests() => _meters = new(_clock);

    public void Dispose()
    {
        _meters.Dispose();
        _meter.Dispose();
    }

    [Fact]
    public void Journals_with_the_same_name_are_told_apart()
    {
        _meter.CreateObservableUpDownCounter("throttled.journal.permit.usage", () => (Measurement<long>[])[Of(3), Of(5, ("throttled.journal.instance", 2))]);
        Assert.Equal([(null, 3L), (2, 5)], Read().Select(each => (each.Instance, each.PermitsUsed)));
    }

    [Fact]
    public void Rates_are_the_increase_of_counters_since_the_last_read()
    {
        var events = 1_000;
        _meter.CreateObservableUpDownCounter("throttled.journal.permit.usage", () => Of(0));
        _meter.CreateObservableCounter("throttled.journal.events", () => Of(events));
        Assert.Null(Assert.Single(Read()).EventsPerSecond);
        events += 30;
        _clock.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal((15, 0), (Read()[0].EventsPerSecond, Read()[0].RetriesPerSecond ?? 0));
    }

    [Fact]
    public void A_journal_that_reports_only_its_counters_is_closed()
    {
        _meter.CreateObservableCounter("throttled.journal.events", () => Of(7));
        Assert.Empty(Read());
    }

    [Fact]
    public void A_stall_has_its_limit_and_a_rewind_its_time_and_ordering()
    {
        var isRewound = false;
        _meter.CreateObservableGauge("throttled.journal.high_water_mark.stall_time", () => new Measurement<double>(12, Name()));
        _meter.CreateObservableGauge("throttled.journal.gap.timeout", () => new Measurement<double>(600, Name()));
        _meter.CreateObservableGauge("throttled.journal.last_rewind.age", () => isRewound ? (Measurement<double>[])[new(90.5, Name())] : []);
        _meter.CreateObservableGauge("throttled.journal.last_rewind.ordering", () => isRewound ? (Measurement<long>[])[Of(120)] : []);
        var before = Assert.Single(Read());
        Assert.Equal((12, 600, null, null), (before.StalledSeconds, before.GapTimeoutSeconds, before.RewoundSecondsAgo, before.RewoundFrom));
        isRewound = true;
        var after = Assert.Single(Read());
        Assert.Equal((90.5, 120L), (after.RewoundSecondsAgo, after.RewoundFrom));
    }

    private List<JournalSnapshot> Read() => [.. _meters.Read().Where(each => each.Name == _name)];

    private Measurement<long> Of(long value, params (string Name, object? Value)[] more) =>
        new(value, [Name(), .. more.Select(each => new KeyValuePair<string, object?>(each.Name, each.Value))]);

    private KeyValuePair<string, object?> Name() => new("throttled.journal.name", _name);
}
