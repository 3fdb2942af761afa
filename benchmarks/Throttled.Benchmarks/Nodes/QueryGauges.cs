using System.Diagnostics.Metrics;

namespace Throttled.Benchmarks.Nodes;

/// <summary>The live queries of all journals of this process, as their metrics count them.</summary>
internal sealed class QueryGauges : IDisposable
{
    private const string Following = "following";
    private const string Lagging = "lagging";

    private readonly Dictionary<string, long> _counts = [];
    private readonly MeterListener _listener = new();

    internal QueryGauges()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Name == "throttled.journal.query.count")
                listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>((_, value, tags, _) => Count(value, tags));
        _listener.Start();
    }

    /// <summary>Waits until no query lags, twice in a row: a query that has just started is not counted at once.</summary>
    internal async Task UntilAllFollowAsync()
    {
        for (var calm = 0; calm < 2;)
        {
            await Task.Delay(TimeSpan.FromSeconds(2));
            _counts.Clear();
            _listener.RecordObservableInstruments();
            calm = _counts.GetValueOrDefault(Lagging) == 0 && _counts.GetValueOrDefault(Following) > 0 ? calm + 1 : 0;
        }
    }

    public void Dispose() => _listener.Dispose();

    private void Count(long value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        foreach (var (name, tag) in tags)
        {
            if (name == "throttled.query.state")
                _counts[(string)tag!] = _counts.GetValueOrDefault((string)tag!) + value;
        }
    }
}
