using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Throttled.AspNetCore.Figures;

/// <summary>
/// Listens to the meters of all journals of this process, with or without an actor system. So the page needs no reference to the journals. A closed
/// journal is removed.
/// </summary>
internal sealed class JournalMeters : IDisposable
{
    private const string MeterName = "Throttled.Journal";

    private readonly ConcurrentDictionary<Meter, JournalFigures> _journals = new();
    private readonly MeterListener _listener = new();
    private readonly TimeProvider _time;
    private long _readAt;

    internal JournalMeters(TimeProvider time)
    {
        _time = time;
        _readAt = time.GetTimestamp();
        _listener.InstrumentPublished = Published;
        _listener.MeasurementsCompleted = (instrument, _) => _journals.TryRemove(instrument.Meter, out JournalFigures? _);
        _listener.SetMeasurementEventCallback<long>(static (_, value, tags, recorder) => Record(value, tags, recorder));
        _listener.SetMeasurementEventCallback<double>(static (_, value, tags, recorder) => Record(value, tags, recorder));
        _listener.Start();
    }

    /// <summary>The figures of each journal, ordered by name and shard. The caller makes one call at a time.</summary>
    internal IReadOnlyList<JournalSnapshot> Read()
    {
        var journals = _journals.Values.OrderBy(each => each.Order).ToList();
        journals.ForEach(each => each.Begin());
        try
        {
            _listener.RecordObservableInstruments();
        }
        catch (AggregateException)
        {
            // A journal was closed meanwhile. The others were observed.
        }
        var time = _time.GetElapsedTime(_readAt);
        _readAt = _time.GetTimestamp();
        return [.. journals.Select(each => each.Take(time))];
    }

    public void Dispose() => _listener.Dispose();

    private void Published(Instrument instrument, MeterListener listener)
    {
        if (instrument.Meter.Name != MeterName)
            return;
        var journal = _journals.GetOrAdd(instrument.Meter, static meter => new(
            TagOf(meter, "throttled.journal.name") as string ?? "", TagOf(meter, "throttled.journal.shard") as int?));
        if (journal.RecorderOf(instrument.Name) is { } recorder)
            listener.EnableMeasurementEvents(instrument, recorder);
    }

    private static object? TagOf(Meter meter, string name) => meter.Tags?.FirstOrDefault(tag => tag.Key == name).Value;

    private static void Record(double value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? recorder)
    {
        string? state = null;
        foreach (var (name, tag) in tags)
            state = name == "state" ? tag as string : state;
        ((Action<double, string?>)recorder!)(value, state);
    }
}
