using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Throttled.Testing;

/// <summary>
/// Counts the work of one reader, by its meters, whatever other readers the process has. The figures of several databases are
/// added.
/// </summary>
public sealed class StatementMeter : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentDictionary<string, int> _ended = new();
    private readonly ConcurrentDictionary<Instrument, long> _values = new();
    private int? _openingThread;

    private StatementMeter()
    {
        _listener.InstrumentPublished = Published;
        _listener.SetMeasurementEventCallback<double>(Measured);
        _listener.SetMeasurementEventCallback<long>(Measured);
        _listener.Start();
    }

    /// <summary>Statements that have ended.</summary>
    public int Statements => _ended.Values.Sum();

    /// <summary>Live queries at the journal end.</summary>
    public long Following => Observe("throttled.journal.queries.following");

    /// <summary>Bytes of rows in memory.</summary>
    public long Buffered => Observe("throttled.journal.buffered");

    /// <summary>Statements that hold a permit.</summary>
    public long PermitsUsed => Observe("throttled.journal.permits.used");

    /// <summary>Live queries that are catching up.</summary>
    public long Lagging => Observe("throttled.journal.queries.lagging");

    /// <summary>Statements that failed and are repeated.</summary>
    public long Retries => Observe("throttled.journal.retries");

    /// <summary>Queries that wait for a page.</summary>
    public long Waiting => Observe("throttled.journal.permits.waiting");

    /// <param name="open">Opens the reader to measure.</param>
    public static (StatementMeter Meter, JournalReader Reader) Of(Func<JournalReader> open)
    {
        var meter = new StatementMeter { _openingThread = Environment.CurrentManagedThreadId };
        var reader = open();
        meter._openingThread = null;
        return (meter, reader);
    }

    /// <summary>Statements of one kind that have ended.</summary>
    public int Of(string kind) => _ended.GetValueOrDefault(kind);

    public int OtherThan(string kind) => _ended.Where(each => each.Key != kind).Sum(each => each.Value);

    /// <summary>Waits until a number of further statements of some kinds, counted together, have ended.</summary>
    public async Task MoreAsync(int count, params string[] kinds)
    {
        var target = kinds.Sum(Of) + count;
        await Wait.UntilAsync(() => kinds.Sum(Of) >= target, () => $"{target} statements of {string.Join(" and ", kinds)}; there are {this}");
    }

    public Task UntilFollowingAsync(long count) =>
        Wait.UntilAsync(() => Following == count, () => $"{count} queries that follow; there are {Following}");

    public void Dispose() => _listener.Dispose();

    public override string ToString() => string.Join(", ", _ended.OrderBy(kind => kind.Key).Select(kind => $"{kind.Value} {kind.Key}"));

    // A reader's instruments are published on the thread that opens it; those of earlier readers, when the listener starts.
    private void Published(Instrument instrument, MeterListener listener)
    {
        if (instrument.Meter.Name == "Throttled.Journal" && Environment.CurrentManagedThreadId == _openingThread)
            listener.EnableMeasurementEvents(instrument);
    }

    private void Measured(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        if (instrument.Name == "throttled.journal.statement.duration")
            _ended.AddOrUpdate((string)tags[0].Value!, 1, (_, count) => count + 1);
    }

    private void Measured(Instrument instrument, long value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state) =>
        _values.AddOrUpdate(instrument, value, (_, before) => instrument.IsObservable ? value : before + value);

    private long Observe(string gauge)
    {
        _listener.RecordObservableInstruments();
        return _values.Where(each => each.Key.Name == gauge).Sum(each => each.Value);
    }
}
