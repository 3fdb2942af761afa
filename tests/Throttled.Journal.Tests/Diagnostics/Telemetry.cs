using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Throttled.Journal.Tests.Diagnostics;

/// <summary>What the meter and the activity source say about one journal.</summary>
internal sealed class Telemetry : IDisposable
{
    private readonly string _journal;
    private readonly ConcurrentQueue<(string Instrument, double Value, Dictionary<string, object?> Tags)> _measured = [];
    private readonly ConcurrentQueue<Activity> _activities = [];
    private readonly MeterListener _meters = new();
    private readonly ActivityListener _listener;

    internal Telemetry(string journal)
    {
        _journal = journal;
        _meters.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Throttled.Journal")
                listener.EnableMeasurementEvents(instrument);
        };
        _meters.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Measured(instrument, value, tags));
        _meters.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Measured(instrument, value, tags));
        _meters.Start();
        _listener = new()
        {
            ShouldListenTo = source => source.Name == "Throttled.Journal" || source.Name == DriverName,
            Sample = SampleAsTheParent,
            ActivityStopped = activity =>
            {
                if (activity.Source.Name == DriverName || Equals(activity.GetTagItem("throttled.journal.name"), journal))
                    _activities.Enqueue(activity);
            },
        };
        ActivitySource.AddActivityListener(_listener);
        Driver = new(DriverName);
    }

    /// <summary>A source as that of a driver, whose activities begin within a statement.</summary>
    internal ActivitySource Driver { get; }

    internal IEnumerable<Activity> Statements => _activities.Where(activity => activity.Source.Name != DriverName);

    internal IEnumerable<Activity> OfDriver => _activities.Where(activity => activity.Source.Name == DriverName);

    private string DriverName => $"driver of {_journal}";

    /// <summary>All measurements so far, with the gauges as they are now.</summary>
    internal IReadOnlyList<(string Instrument, double Value, Dictionary<string, object?> Tags)> All()
    {
        _meters.RecordObservableInstruments();
        return [.. _measured];
    }

    /// <summary>The last measurement of an instrument.</summary>
    internal double Last(string instrument) => All().Last(each => each.Instrument == instrument).Value;

    internal IReadOnlyList<Dictionary<string, object?>> TagsOf(string instrument) =>
        [.. All().Where(each => each.Instrument == instrument).Select(each => each.Tags)];

    public void Dispose()
    {
        _meters.Dispose();
        _listener.Dispose();
        Driver.Dispose();
    }

    // As the SDK's default sampler does.
    private static ActivitySamplingResult SampleAsTheParent(ref ActivityCreationOptions<ActivityContext> options) =>
        options.Parent == default || options.Parent.TraceFlags.HasFlag(ActivityTraceFlags.Recorded)
            ? ActivitySamplingResult.AllDataAndRecorded : ActivitySamplingResult.None;

    private void Measured(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var byName = tags.ToArray().ToDictionary(StringComparer.Ordinal);
        if (Equals(byName["throttled.journal.name"], _journal))
            _measured.Enqueue((instrument.Name, value, byName));
    }
}
