using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace CrushTest.Engine;

/// <summary>
/// The engine's own figures, from the meter and the activity source that any application can listen to. Statements at once are
/// counted by the starts and ends of their activities, which include waiting in the driver; polls have none. The figures of
/// several databases are added.
/// </summary>
internal sealed class Measures : IDisposable
{
    private const string Source = "Throttled.Journal";
    private const string Duration = "throttled.journal.statement.duration";

    private readonly MeterListener _meters = new();
    private readonly ActivityListener _activities;
    private readonly ConcurrentDictionary<(string Instrument, string Journal), long> _levels = new();
    private long _statements;
    private long _statementMicroseconds;
    private int _running;
    private int _mostRunning;

    internal Measures()
    {
        _meters.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name == Source && (instrument.IsObservable || instrument.Name == Duration))
                listener.EnableMeasurementEvents(instrument);
        };
        _meters.SetMeasurementEventCallback<double>(Recorded);
        _meters.SetMeasurementEventCallback<long>(Recorded);
        _meters.Start();
        _activities = new()
        {
            ShouldListenTo = static source => source.Name == Source,
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.PropagationData,
            ActivityStarted = Started,
            ActivityStopped = _ => Interlocked.Decrement(ref _running),
        };
        ActivitySource.AddActivityListener(_activities);
    }

    /// <summary>Statements that have ended, of every kind.</summary>
    internal long Statements => Interlocked.Read(ref _statements);

    /// <summary>The time of these statements together, in seconds.</summary>
    internal double StatementSeconds => Interlocked.Read(ref _statementMicroseconds) / 1e6;

    internal int MostRunning => Volatile.Read(ref _mostRunning);

    internal long PermitsUsed => Level("throttled.journal.permit.usage");

    /// <summary>Queries that wait for a permit.</summary>
    internal long Waiting => Level("throttled.journal.permit.pending_requests");

    /// <summary>Live queries at the end of the journal.</summary>
    internal long Following => Level("throttled.journal.query.count", "following");

    public void Dispose()
    {
        _meters.Dispose();
        _activities.Dispose();
    }

    private long Level(string name, string? state = null)
    {
        _meters.RecordObservableInstruments();
        return _levels.Where(level => level.Key.Instrument == $"{name} {state}").Sum(level => level.Value);
    }

    private void Started(Activity activity)
    {
        var running = Interlocked.Increment(ref _running);
        int most;
        while (running > (most = _mostRunning) && Interlocked.CompareExchange(ref _mostRunning, running, most) != most)
        {
        }
    }

    private void Recorded(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        if (instrument.Name != Duration)
            return;
        Interlocked.Increment(ref _statements);
        Interlocked.Add(ref _statementMicroseconds, (long)(1e6 * value));
    }

    private void Recorded(Instrument instrument, long value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        var (journal, queryState) = ("", "");
        foreach (var (name, tag) in tags)
        {
            if (name == "throttled.query.state")
                queryState = (string)tag!;
            else
                journal += $"{tag} ";
        }
        _levels[($"{instrument.Name} {queryState}", journal)] = value;
    }
}
