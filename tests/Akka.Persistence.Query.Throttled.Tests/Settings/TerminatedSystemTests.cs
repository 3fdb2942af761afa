using System.Diagnostics.Metrics;
using Akka.Actor;
using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>A journal that is opened too late.</summary>
public sealed class TerminatedSystemTests
{
    private const string Meter = "Throttled.Journal";

    [Fact]
    public async Task A_journal_that_is_opened_in_a_terminated_system_is_closed_and_leaves_no_metrics()
    {
        using var gauges = new MeterListener();
        var lasting = new List<string>();
        gauges.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == Meter && instrument.Meter.Tags?.Any(tag => tag.Value is "late") == true)
                listener.EnableMeasurementEvents(instrument);
        };
        gauges.SetMeasurementEventCallback<long>((instrument, _, _, _) => lasting.Add(instrument.Name));
        gauges.Start();
        var system = new ConfiguredSystem(Hocon.Journal(id: "late"));
        await system.System.Terminate();

        var error = Assert.Throws<JournalClosedException>(
            () => ThrottledReadJournal.Open((ExtendedActorSystem)system.System, system.System.Settings.Config.GetConfig("late")));

        Assert.Equal("The read journal 'late' is closed, because its actor system 'settings' terminates.", error.Message);
        gauges.RecordObservableInstruments();
        Assert.Empty(lasting);
    }

    [Fact]
    public async Task A_request_for_a_journal_of_a_terminated_system_fails_with_the_reason()
    {
        var system = new ConfiguredSystem(Hocon.Journal());
        await system.System.Terminate();
        Assert.Throws<JournalClosedException>(() => system.Open());
    }
}
