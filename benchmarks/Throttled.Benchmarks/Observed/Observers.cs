using System.Diagnostics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using Throttled.AspNetCore;
using Throttled.OpenTelemetry;

namespace Throttled.Benchmarks.Observed;

/// <summary>All that observes a process: the SDK of OpenTelemetry collects each second, and one viewer has the page open.</summary>
internal sealed class Observers : IAsyncDisposable
{
    private const int Second = 1_000;

    private readonly CountingExporter<Metric> _metrics = new();
    private readonly CountingExporter<Activity> _activities = new();
    private readonly MeterProvider _meterProvider;
    private readonly TracerProvider _tracerProvider;
    private readonly WebApplication _application;
    private readonly HttpClient _viewer = new();
    private readonly CancellationTokenSource _leaving = new();
    private readonly TaskCompletionSource _seen = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task _watching = Task.CompletedTask;
    private int _views;

    private Observers(WebApplication application)
    {
        _application = application;
        _meterProvider = Sdk.CreateMeterProviderBuilder().AddThrottledInstrumentation()
            .AddReader(new PeriodicExportingMetricReader(_metrics, exportIntervalMilliseconds: Second)).Build();
        _tracerProvider = Sdk.CreateTracerProviderBuilder().AddThrottledInstrumentation()
            .AddProcessor(new BatchActivityExportProcessor(_activities)).Build();
    }

    /// <summary>Exports of metrics, activities that were exported, and status messages that the viewer got.</summary>
    internal (int Exports, long Activities, int Views) Counts => (_metrics.Exports, _activities.Items, Volatile.Read(ref _views));

    /// <summary>Returns when the viewer has got the first status.</summary>
    internal static async Task<Observers> StartAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        var application = builder.Build();
        application.MapThrottled();
        await application.StartAsync();
        var observers = new Observers(application);
        observers._watching = observers.WatchAsync();
        await await Task.WhenAny(observers._seen.Task, observers._watching);
        return observers;
    }

    public async ValueTask DisposeAsync()
    {
        await _leaving.CancelAsync();
        await _watching;
        _viewer.Dispose();
        _leaving.Dispose();
        await _application.DisposeAsync();
        _tracerProvider.Dispose();
        _meterProvider.Dispose();
    }

    private async Task WatchAsync()
    {
        try
        {
            using var live = new StreamReader(await _viewer.GetStreamAsync(new Uri($"{_application.Urls.First()}/throttled/live"), _leaving.Token));
            while (await live.ReadLineAsync(_leaving.Token) is { } line)
            {
                if (!line.StartsWith("data: ", StringComparison.Ordinal))
                    continue;
                Interlocked.Increment(ref _views);
                _seen.TrySetResult();
            }
        }
        catch (OperationCanceledException)
        {
        }
    }
}

/// <summary>An exporter that counts what it is given, and sends it nowhere.</summary>
internal sealed class CountingExporter<T> : BaseExporter<T>
    where T : class
{
    private long _items;
    private int _exports;

    internal long Items => Interlocked.Read(ref _items);

    internal int Exports => Volatile.Read(ref _exports);

    public override ExportResult Export(in Batch<T> batch)
    {
        foreach (var _ in batch)
            Interlocked.Increment(ref _items);
        Interlocked.Increment(ref _exports);
        return ExportResult.Success;
    }
}
