using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;

namespace Throttled.Faults.Security;

/// <summary>
/// Records all output of a reader and its driver: log messages of any level with every field and exception, the names and tags of metrics and
/// activities of this process, and texts that a test adds.
/// </summary>
internal sealed class Recording : ILoggerFactory, ILogger
{
    private readonly ConcurrentQueue<string> _texts = [];
    private readonly ConcurrentQueue<int> _ids = [];
    private readonly MeterListener _meters = new();
    private readonly ActivityListener _activities;

    internal Recording()
    {
        _meters.InstrumentPublished = (instrument, listener) =>
        {
            Add($"{instrument.Meter.Name} {Text(instrument.Meter.Tags)} {instrument.Name} {instrument.Description} {Text(instrument.Tags)}");
            listener.EnableMeasurementEvents(instrument);
        };
        _meters.SetMeasurementEventCallback<long>((_, _, tags, _) => Add(Text(tags.ToArray())));
        _meters.SetMeasurementEventCallback<int>((_, _, tags, _) => Add(Text(tags.ToArray())));
        _meters.SetMeasurementEventCallback<double>((_, _, tags, _) => Add(Text(tags.ToArray())));
        _meters.Start();
        _activities = new()
        {
            ShouldListenTo = _ => true,
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = Add,
        };
        ActivitySource.AddActivityListener(_activities);
    }

    internal IReadOnlyCollection<int> Ids => _ids;

    /// <summary>All recorded texts, one line each.</summary>
    internal IReadOnlyCollection<string> Texts
    {
        get
        {
            _meters.RecordObservableInstruments();
            return _texts;
        }
    }

    internal void Add(string text) => _texts.Enqueue(text);

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

    public bool IsEnabled(LogLevel logLevel) => true;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull
    {
        Add($"scope {state}");
        return null;
    }

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        _ids.Enqueue(eventId.Id);
        Add($"{logLevel} {eventId} {formatter(state, exception)} {exception}");
        if (state is IEnumerable<KeyValuePair<string, object?>> fields)
            Add(Text(fields));
    }

    public void Dispose()
    {
        _meters.Dispose();
        _activities.Dispose();
    }

    private void Add(Activity activity)
    {
        Add($"{activity.Source.Name} {activity.DisplayName} {activity.StatusDescription} {Text(activity.TagObjects)} {Text(activity.Baggage)}");
        foreach (var happened in activity.Events)
            Add($"{happened.Name} {Text(happened.Tags)}");
    }

    private static string Text<T>(IEnumerable<KeyValuePair<string, T>>? fields) =>
        string.Join(", ", (fields ?? []).Select(field => $"{field.Key}={(field.Value is System.Collections.IEnumerable many and not string ? string.Join('|', many.Cast<object?>()) : field.Value)}"));
}
