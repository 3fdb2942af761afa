using System.Diagnostics.Metrics;
using System.Diagnostics;

namespace Throttled.Journal.Diagnostics;

/// <summary>
/// The metrics and activities of one journal, under the meter and the activity source <c>Throttled.Journal</c>; <c>docs/operating/metrics.md</c>
/// lists their names. Gauges are observable: without a listener they cost almost nothing.
/// </summary>
internal sealed class JournalMetrics : IDisposable
{
    internal const string Name = "Throttled.Journal";

    private const string JournalTag = "throttled.journal.name";
    private const string ShardTag = "throttled.journal.shard";

    private static readonly ActivitySource Activities = new(Name);

    private readonly Meter _meter;
    private readonly string _system;
    private readonly KeyValuePair<string, object?>[] _tags;
    private readonly Counter<long> _pages;
    private readonly Counter<long> _events;
    private readonly Counter<long> _retries;
    private readonly Histogram<double> _permitWait;
    private readonly Histogram<double> _statementDuration;

    internal JournalMetrics(string system, JournalOptions options, JournalGauges gauges)
    {
        _system = system;
        _tags = options.Shard is { } identity ? [new(JournalTag, options.Name), new(ShardTag, identity.Shard)] : [new(JournalTag, options.Name)];
        _meter = new(new MeterOptions(Name) { Tags = _tags });
        _pages = _meter.CreateCounter<long>("throttled.journal.pages", "{page}", "Pages given to readers");
        _events = _meter.CreateCounter<long>("throttled.journal.events", "{event}", "Events given to readers");
        _retries = _meter.CreateCounter<long>("throttled.journal.retries", "{statement}", "Statements that failed and were tried again");
        _permitWait = _meter.CreateHistogram<double>("throttled.journal.permit.wait", "s", "Time that a statement waited for its permit");
        _statementDuration = _meter.CreateHistogram<double>("throttled.journal.statement.duration", "s", "Time that a statement took, by kind");
        Gauge("throttled.journal.permits.used", "{permit}", "Permits in use", () => gauges.PermitsUsed);
        Gauge("throttled.journal.permits.waiting", "{query}", "Queries that wait for a page", () => gauges.Waiting);
        Gauge("throttled.journal.queries.following", "{query}", "Live queries at the end of the journal", () => gauges.Following);
        Gauge("throttled.journal.queries.lagging", "{query}", "Live queries that catch up", () => gauges.Lagging);
        Gauge("throttled.journal.buffered", "By", "Bytes of rows in memory", () => gauges.BufferedBytes);
    }

    internal void PageDelivered(int events)
    {
        _pages.Add(1);
        _events.Add(events);
    }

    internal void Retried() => _retries.Add(1);

    internal void PermitWaited(TimeSpan time) => _permitWait.Record(time.TotalSeconds);

    /// <summary>Runs one statement, and records its duration and its activity.</summary>
    /// <param name="kind">The kind of statement, as listed in <c>docs/operating/metrics.md</c>.</param>
    /// <param name="run">Runs the statement.</param>
    internal async Task MeasureAsync(string kind, Func<Task> run)
    {
        using var activity = Activities.StartActivity(kind, ActivityKind.Client);
        activity?.SetTag("db.system.name", _system);
        foreach (var (name, value) in _tags)
            activity?.SetTag(name, value);
        var start = Stopwatch.GetTimestamp();
        try
        {
            await run().ConfigureAwait(false);
        }
        catch (Exception error)
        {
            activity?.SetStatus(ActivityStatusCode.Error, error.GetType().Name);
            throw;
        }
        finally
        {
            if (_statementDuration.Enabled)
                _statementDuration.Record(Stopwatch.GetElapsedTime(start).TotalSeconds, new KeyValuePair<string, object?>("kind", kind));
        }
    }

    public void Dispose() => _meter.Dispose();

    private void Gauge(string name, string unit, string description, Func<long> read) => _meter.CreateObservableGauge(name, read, unit, description);
}

/// <summary>The current values of the gauges. The loop sets them; any thread may read them, because an int is read and written at once.</summary>
/// <param name="bufferedBytes">Returns the bytes of all rows in memory. Called on any thread.</param>
internal sealed class JournalGauges(Func<long> bufferedBytes)
{
    internal int PermitsUsed { get; set; }

    internal int Waiting { get; set; }

    internal int Following { get; set; }

    internal int Lagging { get; set; }

    internal long BufferedBytes => bufferedBytes();
}
