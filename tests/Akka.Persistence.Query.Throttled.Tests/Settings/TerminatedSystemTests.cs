using System.Diagnostics.Metrics;
using Akka.Actor;
using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>A journal that is opened too late.</summary>
public sealed class TerminatedSystemTests
{
    private const string Meter = "Throttled.Journal";

    [Fact]
    public async Task In_a_system_that_has_terminated_a_journal_is_closed_and_nothing_of_it_is_left()
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
    public async Task Who_asks_a_system_that_has_terminated_for_a_journal_is_told_so()
    {
        var system = new ConfiguredSystem(Hocon.Journal());
        await system.System.Terminate();
        Assert.Throws<JournalClosedException>(() => system.Open());
    }
}
