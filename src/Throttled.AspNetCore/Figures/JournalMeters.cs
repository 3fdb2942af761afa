using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Throttled.AspNetCore.Figures;

/// <summary>
/// Listens to the meter of all journals of this process, with or without an actor system. So the page needs no reference to the journals. A closed
/// journal is removed.
/// </summary>
internal sealed class JournalMeters : IDisposable
{
    private const string MeterName = "Throttled.Journal";

    private readonly ConcurrentDictionary<(string Name, int? Shard, int? Instance), JournalFigures> _journals = new();
    private readonly MeterListener _listener = new();
    private readonly TimeProvider _time;
    private long _readAt;

    internal JournalMeters(TimeProvider time)
    {
        _time = time;
        _readAt = time.GetTimestamp();
        _listener.InstrumentPublished = Published;
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Record(instrument, value, tags));
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Record(instrument, value, tags));
        _listener.Start();
    }

    /// <summary>The figures of each journal, ordered by name, shard and instance. The caller makes one call at a time.</summary>
    internal IReadOnlyList<JournalSnapshot> Read()
    {
        foreach (var journal in _journals.Values)
            journal.Begin();
        _listener.RecordObservableInstruments();
        foreach (var (key, _) in _journals.Where(journal => !journal.Value.IsOpen))
            _journals.TryRemove(key, out _);
        var time = _time.GetElapsedTime(_readAt);
        _readAt = _time.GetTimestamp();
        return [.. _journals.Values.OrderBy(each => each.Order).Select(each => each.Take(time))];
    }

    public void Dispose() => _listener.Dispose();

    private static void Published(Instrument instrument, MeterListener listener)
    {
        if (instrument.Meter.Name == MeterName && JournalFigures.Shows(instrument))
            listener.EnableMeasurementEvents(instrument);
    }

    private void Record(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var (journal, shard, number, state) = ("", (int?)null, (int?)null, (string?)null);
        foreach (var (name, tag) in tags)
        {
            switch (name)
            {
                case "throttled.journal.name":
                    journal = (string)tag!;
                    break;
                case "throttled.journal.shard":
                    shard = (int)tag!;
                    break;
                case "throttled.journal.instance":
                    number = (int)tag!;
                    break;
                case "throttled.query.state" or "throttled.circuit_breaker.state":
                    state = (string)tag!;
                    break;
            }
        }
        _journals.GetOrAdd((journal, shard, number), static key => new(key.Name, key.Shard, key.Instance)).Record(instrument, value, state);
    }
}
