using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Throttled.AspNetCore;
using Throttled.Projections;
using Throttled.Testing;
using Xunit.Abstractions;

namespace Throttled.Tool.Tests.Incidents;

/// <summary>What an operator looks at during an incident: the tool, the alerts of <c>ops/prometheus/alerts.yml</c>, and the page.</summary>
internal sealed class OperatorView : IAsyncDisposable
{
    private readonly ConcurrentDictionary<(Instrument Instrument, string Series), (double Value, Dictionary<string, string> Labels)> _values = new();
    private readonly ConcurrentDictionary<string, bool> _seen = new(StringComparer.Ordinal);
    private readonly MeterListener _listener = new();
    private readonly WebApplication _application;
    private readonly HttpClient _page;
    private readonly string _name;
    private readonly ITestOutputHelper _output;

    private OperatorView(string name, WebApplication application, ITestOutputHelper output)
    {
        (_name, _application, _output) = (name, application, output);
        _page = new() { BaseAddress = new(application.Urls.First()) };
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name is "Throttled.Journal" or "Throttled.Projections")
                listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Measured(instrument, value, tags));
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Measured(instrument, value, tags));
        _listener.Start();
    }

    /// <param name="name">The journal or the projection. No other test has this name: all share the meters.</param>
    /// <param name="output">Gets what the tool prints.</param>
    /// <param name="readModel">The read model database of the page; null for none.</param>
    internal static async Task<OperatorView> OpenAsync(string name, ITestOutputHelper output, ReadModelDatabase? readModel = null)
    {
        var builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { ApplicationName = "Incidents" });
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        if (readModel is not null)
            builder.Services.AddSingleton(readModel);
        var application = builder.Build();
        application.MapThrottled();
        await application.StartAsync();
        return new(name, application, output);
    }

    /// <summary>Runs the tool until it ends with a code and has printed all texts. Runs of spaces and line breaks count as one space.</summary>
    internal async Task ToolAsync(string[] arguments, int code, params string[] texts)
    {
        ToolOutput? last = null;
        await Wait.UntilAsync(
            async () =>
            {
                last = await ToolOutput.OfAsync(arguments);
                return last.Code == code && texts.All(text => Spaced(last.Output + last.Errors).Contains(text, StringComparison.Ordinal));
            },
            () => $"{code} and {string.Join(" … ", texts)}; the tool ended with {last!.Code}: {last.Output}{last.Errors}",
            TimeSpan.FromSeconds(30));
        _output.WriteLine($"throttled {arguments[0]} {arguments[1]}: {last!.Code}\n{last.Output}{last.Errors}");
    }

    /// <summary>Waits until the condition of an alert is true. It does not wait for the time of its <c>for</c>.</summary>
    internal async Task AlertAsync(string alert)
    {
        var condition = AlertCondition.Of(alert);
        await Wait.UntilAsync(() => IsTrue(condition), () => $"{alert}; {condition} is {ValueOf(condition)}", TimeSpan.FromSeconds(30));
        _output.WriteLine($"{alert}: {ValueOf(condition)}");
    }

    /// <summary>Waits until the condition of an alert is not true.</summary>
    internal Task QuietAsync(string alert) => Wait.UntilAsync(() => !HasAlert(alert), () => $"the end of {alert}", TimeSpan.FromSeconds(30));

    /// <summary>Whether the condition of an alert is true now.</summary>
    internal bool HasAlert(string alert) => IsTrue(AlertCondition.Of(alert));

    /// <summary>Waits until the page's figures of the journal are such.</summary>
    internal Task JournalAsync(Func<JsonElement, bool> isTrue) =>
        PageAsync(status => status.GetProperty("journals").EnumerateArray(), isTrue);

    /// <summary>Waits until the page's figures of the projection are such.</summary>
    internal Task ProjectionAsync(Func<JsonElement, bool> isTrue) =>
        PageAsync(status => status.GetProperty("readModels").EnumerateArray().SelectMany(each => each.GetProperty("projections").EnumerateArray()), isTrue);

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        _page.Dispose();
        await _application.DisposeAsync();
    }

    private async Task PageAsync(Func<JsonElement, IEnumerable<JsonElement>> items, Func<JsonElement, bool> isTrue)
    {
        var last = "";
        await Wait.UntilAsync(
            async () =>
            {
                last = await _page.GetStringAsync(new Uri("/throttled/status", UriKind.Relative));
                using var status = JsonDocument.Parse(last);
                return items(status.RootElement).Any(each => each.GetProperty("name").GetString() == _name && isTrue(each));
            },
            () => $"a page with other figures of {_name}; the last were {last}",
            TimeSpan.FromSeconds(30));
    }

    private static string Spaced(string text) => string.Join(' ', text.Split([' ', '\n', '\r'], StringSplitOptions.RemoveEmptyEntries));

    private bool IsTrue(AlertCondition condition) => condition.Limit switch
    {
        null => ValueOf(condition) is null && _seen.ContainsKey(condition.Metric),
        var limit when double.TryParse(limit, CultureInfo.InvariantCulture, out var number) => ValueOf(condition) > number,
        var metric => ValueOf(condition) > ValueOf(new(AlertCondition.NameOf(metric), "", "", null)),
    };

    // A gauge that reports nothing any more has no value.
    private double? ValueOf(AlertCondition condition)
    {
        foreach (var gauge in _values.Keys.Where(each => each.Instrument.IsObservable))
            _values.TryRemove(gauge, out _);
        _listener.RecordObservableInstruments();
        var found = _values.Where(each => condition.IsAbout(each.Key.Instrument.Name, each.Value.Labels)).Select(each => each.Value.Value).ToList();
        return found.Count == 0 ? null : found.Sum();
    }

    // Of a histogram, the largest value counts: there are too few for a percentile.
    private void Measured(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var labels = tags.ToArray().ToDictionary(tag => tag.Key.Replace('.', '_'), tag => $"{tag.Value}", StringComparer.Ordinal);
        if (labels.GetValueOrDefault("throttled_journal_name") != _name && labels.GetValueOrDefault("throttled_projection_name") != _name)
            return;
        _seen[AlertCondition.NameOf(instrument.Name)] = true;
        var isHistogram = instrument is Histogram<double>;
        _values.AddOrUpdate(
            (instrument, string.Join(';', labels)),
            (value, labels),
            (_, before) => (instrument.IsObservable ? value : isHistogram ? Math.Max(before.Value, value) : before.Value + value, labels));
    }
}

/// <summary>The condition of an alert: a metric is above a limit, or no process reports it any more. Of several conditions, the last.</summary>
/// <param name="Metric">The metric, as Prometheus names it, without its unit and its kind.</param>
/// <param name="Label">The label that selects series; empty for all series.</param>
/// <param name="Values">The values of the label, as a pattern.</param>
/// <param name="Limit">The limit, a number or a metric; null if the metric must be gone.</param>
internal sealed partial record AlertCondition(string Metric, string Label, string Values, string? Limit)
{
    internal static AlertCondition Of(string alert)
    {
        var rules = File.ReadAllText(Path.Combine(WorkingCopy.Root, "ops/prometheus/alerts.yml")).Split("- alert: ");
        var rule = Assert.Single(rules, each => each.StartsWith($"{alert}\n", StringComparison.Ordinal)).Split("labels:")[0];
        if (Absence().Match(rule) is { Success: true } gone)
            return new(NameOf(gone.Groups[1].Value), "", "", null);
        var last = Comparison().Matches(rule).Last().Groups;
        return new(NameOf(last[1].Value), last[2].Value, last[3].Value, last[4].Value);
    }

    /// <summary>The name of a metric or of a series without dots, unit and kind.</summary>
    internal static string NameOf(string name) => Suffix().Replace(name.Replace('.', '_'), "");

    internal bool IsAbout(string instrument, Dictionary<string, string> labels) =>
        NameOf(instrument) == Metric && (Label.Length == 0 || Regex.IsMatch(labels.GetValueOrDefault(Label, ""), $"^(?:{Values})$"));

    [GeneratedRegex("""(throttled_\w+)(?:\{(\w+)=~?"([^"]*)"\})?(?:\[\w+\])?\)*\s*>\s*([\d.]+|throttled_\w+)""")]
    private static partial Regex Comparison();

    [GeneratedRegex("""present_over_time\((throttled_\w+)\[\w+\]\)\)\s+unless .*\(\1\)""")]
    private static partial Regex Absence();

    [GeneratedRegex("(?:_seconds|_bytes)?(?:_total|_bucket)?$")]
    private static partial Regex Suffix();
}

/// <summary>This machine's clock, which a test can set ahead. So an alert that needs a minute needs no minute in a test.</summary>
internal sealed class AheadClock : TimeProvider
{
    private long _ahead;

    public override long GetTimestamp() => base.GetTimestamp() + Interlocked.Read(ref _ahead);

    internal void Advance(TimeSpan time) => Interlocked.Add(ref _ahead, (long)(time.TotalSeconds * TimestampFrequency));
}
