using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Throttled.Journal.Queries;

namespace Throttled.Testing;

/// <summary>
/// Counts the work of one reader, by its meters, whatever other readers the process has. The figures of several databases are
/// added.
/// </summary>
public sealed class StatementMeter : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentDictionary<string, int> _ended = new();
    private readonly ConcurrentDictionary<object, bool> _names = new(ReferenceEqualityComparer.Instance);
    private readonly ConcurrentDictionary<(string Instrument, object? Shard, string? State), long> _values = new();
    private long _earlierRetries;

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
    public long Following => Observe("throttled.journal.query.count", "following");

    /// <summary>Bytes of rows in memory.</summary>
    public long Buffered => Observe("throttled.journal.buffer.usage");

    /// <summary>Statements that hold a permit.</summary>
    public long PermitsUsed => Observe("throttled.journal.permit.usage");

    /// <summary>Live queries that are catching up.</summary>
    public long Lagging => Observe("throttled.journal.query.count", "lagging");

    /// <summary>Statements that failed and are repeated.</summary>
    public long Retries => Observe("throttled.journal.retries") - _earlierRetries;

    /// <summary>Queries that wait for a page.</summary>
    public long Waiting => Observe("throttled.journal.permit.pending_requests");

    /// <param name="open">Opens the reader to measure.</param>
    public static (StatementMeter Meter, JournalReader Reader) Of(Func<JournalReader> open)
    {
        var meter = new StatementMeter();
        var reader = open();
        meter.Watch(reader.Journal.Shards);
        return (meter, reader);
    }

    /// <param name="open">Opens the engines to measure.</param>
    internal static StatementMeter Of(Func<IReadOnlyList<JournalEngine>> open)
    {
        var meter = new StatementMeter();
        meter.Watch(open());
        return meter;
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

    private void Watch(IReadOnlyList<IJournalShard> shards)
    {
        // Each shard has a string of its own as its name, although the names may be equal.
        foreach (var shard in shards)
            _names[shard.Options.Name] = true;
        // A counter goes on after earlier readers with the same name.
        _earlierRetries = Retries;
    }

    private static void Published(Instrument instrument, MeterListener listener)
    {
        if (instrument.Meter.Name == "Throttled.Journal")
            listener.EnableMeasurementEvents(instrument);
    }

    private void Measured(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        if (instrument.Name == "throttled.journal.statement.duration" && _names.ContainsKey(NameIn(tags)))
            _ended.AddOrUpdate((string)ValueOf(tags, "throttled.statement.kind")!, 1, (_, count) => count + 1);
    }

    private void Measured(Instrument instrument, long value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        if (_names.ContainsKey(NameIn(tags)))
            _values[(instrument.Name, ValueOf(tags, "throttled.journal.shard"), ValueOf(tags, "throttled.query.state") as string)] = value;
    }

    private static object NameIn(ReadOnlySpan<KeyValuePair<string, object?>> tags) => ValueOf(tags, "throttled.journal.name")!;

    private static object? ValueOf(ReadOnlySpan<KeyValuePair<string, object?>> tags, string name)
    {
        foreach (var tag in tags)
        {
            if (tag.Key == name)
                return tag.Value;
        }
        return null;
    }

    private long Observe(string instrument, string? state = null)
    {
        _listener.RecordObservableInstruments();
        return _values.Where(each => each.Key.Instrument == instrument && each.Key.State == state).Sum(each => each.Value);
    }
}
