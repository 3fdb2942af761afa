using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace CrushTest.Engine;

/// <summary>
/// The engine's own figures, by the meter and the activity source that any application can listen to. Statements at once are
/// counted from the starts and ends of their activities: at the door to the driver, line before it included.
/// </summary>
internal sealed class Measures : IDisposable
{
    private const string Source = "Throttled.Journal";

    private readonly MeterListener _meters = new();
    private readonly ActivityListener _activities;
    private long _statements;
    private long _permitsUsed;
    private long _waiting;
    private long _following;
    private int _running;
    private int _mostRunning;

    internal Measures()
    {
        _meters.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name == Source)
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

    /// <summary>The most statements at once.</summary>
    internal int MostRunning => Volatile.Read(ref _mostRunning);

    internal long PermitsUsed => Level(ref _permitsUsed);

    /// <summary>Queries that wait for a permit.</summary>
    internal long Waiting => Level(ref _waiting);

    /// <summary>Live queries at the end of the journal.</summary>
    internal long Following => Level(ref _following);

    public void Dispose()
    {
        _meters.Dispose();
        _activities.Dispose();
    }

    private long Level(ref long level)
    {
        _meters.RecordObservableInstruments();
        return Interlocked.Read(ref level);
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
        if (instrument.Name == "throttled.journal.statement.duration")
            Interlocked.Increment(ref _statements);
    }

    private void Recorded(Instrument instrument, long value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        switch (instrument.Name)
        {
            case "throttled.journal.permits.used":
                Interlocked.Exchange(ref _permitsUsed, value);
                break;
            case "throttled.journal.permits.waiting":
                Interlocked.Exchange(ref _waiting, value);
                break;
            case "throttled.journal.queries.following":
                Interlocked.Exchange(ref _following, value);
                break;
        }
    }
}
