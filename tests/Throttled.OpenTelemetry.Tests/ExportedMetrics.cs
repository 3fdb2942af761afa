using Akka.Persistence.Query.Throttled.Cluster.Diagnostics;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using Throttled.Journal.Diagnostics;
using Throttled.Projections.Diagnostics;

namespace Throttled.OpenTelemetry.Tests;

/// <summary>The tests of the meters, which all journals of the process share, run one after the other.</summary>
[CollectionDefinition(nameof(ExportedMetrics))]
public sealed class OneExport : ICollectionFixture<ExportedMetrics>;

/// <summary>All metrics of Throttled, as the OpenTelemetry SDK exports them.</summary>
public sealed class ExportedMetrics : IDisposable
{
    private readonly JournalMetrics _journal;
    private readonly JournalMetrics _other;
    private readonly ProjectionMetrics _projection = new("balances");
    private readonly BudgetMetrics _budget = new("main");
    private readonly FeedMetrics _feed = new("entities");
    private readonly FeedMetrics _otherFeed = new("other");

    public ExportedMetrics()
    {
        List<Metric> exported = [];
        using var provider = Sdk.CreateMeterProviderBuilder().AddThrottledInstrumentation().AddInMemoryExporter(exported).Build();
        _journal = Journal("main", shard: 0);
        _other = Journal("other", shard: null);
        Measure(_journal);
        Measure(_projection.Of("balances"));
        Measure(_feed);
        // They count nothing.
        _projection.Of("other");
        _budget.Set(10, 2);
        // A journal that is closed must not end the metrics of the others.
        Journal("closed", shard: null).Dispose();
        provider.ForceFlush();
        // The end of the provider exports again.
        All = [.. exported];
    }

    internal IReadOnlyList<Metric> All { get; }

    internal Metric this[string name] => All.Single(metric => metric.Name == name);

    public void Dispose()
    {
        _journal.Dispose();
        _other.Dispose();
        _projection.Dispose();
        _budget.Dispose();
        _feed.Dispose();
        _otherFeed.Dispose();
    }

    internal static JournalMetrics Journal(string name, int? shard)
    {
        var gauges = new JournalGauges(new JournalClock(TimeProvider.System), () => 1_000);
        gauges.SetHighWaterMark(100, 1, TimeSpan.Zero, TimeSpan.Zero);
        gauges.SetWaiting(3, TimeSpan.Zero);
        return new("postgresql", new() { Name = name, Shard = shard is { } number ? new(ShardMap.Even(2), number) : null }, gauges);
    }

    private static void Measure(JournalMetrics journal)
    {
        journal.PageDelivered(10);
        journal.Retried();
        journal.Rewound(120);
        journal.PermitWaited(TimeSpan.FromMilliseconds(20));
        journal.MeasureAsync("page", () => Task.CompletedTask, CancellationToken.None).GetAwaiter().GetResult();
        Assert.Throws<TimeoutException>(() => journal.MeasureAsync("page", () => throw new TimeoutException(), CancellationToken.None).GetAwaiter().GetResult());
    }

    private static void Measure(VersionMetrics version)
    {
        version.Committed(10, TimeSpan.FromMilliseconds(20));
        version.Failed(new TimeoutException());
        version.DeadLettered();
        version.Skipped();
        version.PassedOver();
        version.Unhandled();
        version.Set([new(0, LaneState.Running, null, 0)], 90);
        version.SetJournalEnd(100, new(TimeProvider.System, shards: 1));
    }

    private static void Measure(FeedMetrics feed)
    {
        feed.Started();
        feed.Received(1);
        feed.Add(new(1, 1, 1));
        feed.Set(new LaneFigures(1, 1, 1));
    }
}
