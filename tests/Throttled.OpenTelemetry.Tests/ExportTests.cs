using System.Diagnostics;
using System.Globalization;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using Throttled.Journal.Diagnostics;
using Throttled.Projections.Diagnostics;

namespace Throttled.OpenTelemetry.Tests;

/// <summary>What the SDK exports is what the page says, and follows OpenTelemetry's conventions.</summary>
[Collection(nameof(ExportedMetrics))]
public sealed class ExportTests(ExportedMetrics metrics)
{
    private static readonly string Page = Path.Combine(Testing.WorkingCopy.Root, "docs/operating/metrics.md");

    [Fact]
    public void The_page_has_each_metric_with_its_kind_and_unit() => Assert.Equal(
        metrics.All.Select(metric => (metric.Name, KindOf(metric), metric.Unit)).Order(),
        Rows("instrument").Select(row => (row[0], row[1], row[2])).Order());

    [Fact]
    public void The_page_has_each_attribute_of_each_metric()
    {
        var always = new HashSet<string>(StringComparer.Ordinal)
        {
            "throttled.journal.name", "throttled.journal.shard", "throttled.journal.instance", "throttled.projection.name", "throttled.projection.version", "throttled.feed.name",
        };
        var rows = Rows("instrument").ToDictionary(row => row[0], row => row[3].Split(", ", StringSplitOptions.RemoveEmptyEntries).Order());
        Assert.All(metrics.All, metric => Assert.Equal(rows[metric.Name], TagsOf(metric).Except(always).Order()));
        var known = Rows("attribute").Select(row => row[0]).ToHashSet(StringComparer.Ordinal);
        Assert.All(metrics.All.SelectMany(TagsOf), tag => Assert.Contains(tag, known));
    }

    [Fact]
    public void Each_measurement_names_its_journal_projection_or_feed()
    {
        Assert.All(metrics.All, metric => Assert.All(Points(metric), point => Assert.Contains(
            TagsOf(point), tag => tag is "throttled.journal.name" or "throttled.projection.name" or "throttled.feed.name")));
        Assert.All(metrics.All, metric => Assert.Empty(metric.MeterTags ?? []));
    }

    [Fact]
    public void Two_journals_are_told_apart_and_a_closed_one_is_gone()
    {
        var names = Points(metrics["throttled.journal.permit.usage"]).Select(point => (string)ValueOf(point, "throttled.journal.name")!);
        Assert.Equal(["main", "other"], names.Order());
    }

    // Prometheus sees an increase only if the counter was 0 before.
    [Fact]
    public void A_counter_is_exported_as_0_before_its_first_increment()
    {
        // An opening is there from the start, and the error of a failure is not known before.
        var counters = metrics.All.Where(metric => metric.MetricType == MetricType.LongSum && metric.Name is not ("throttled.journal.openings" or "throttled.projection.failures")).ToList();
        Assert.Equal(15, counters.Count);
        Assert.All(counters, counter => Assert.Equal(0, Points(counter).Single(IsOfTheOther).GetSumLong()));
        Assert.All(counters, counter => Assert.Contains(Points(counter), point => point.GetSumLong() > 0));

        static bool IsOfTheOther(MetricPoint point) =>
            ((string[])["throttled.journal.name", "throttled.projection.version", "throttled.feed.name"]).Any(name => Equals(ValueOf(point, name), "other"));
    }

    [Fact]
    public void What_was_counted_before_the_SDK_listened_is_exported_and_journals_with_one_name_are_told_apart()
    {
        using var first = ExportedMetrics.Journal("twin", shard: null);
        using var second = ExportedMetrics.Journal("twin", shard: null);
        second.Rewound(7);
        List<Metric> exported = [];
        using var provider = Sdk.CreateMeterProviderBuilder().AddThrottledInstrumentation().AddInMemoryExporter(exported).Build();
        provider.ForceFlush();
        var rewinds = Points(exported.Single(metric => metric.Name == "throttled.journal.rewinds")).Where(point => Equals(ValueOf(point, "throttled.journal.name"), "twin"));
        Assert.Equal([((object?)null, 0L), (2, 1)], rewinds.Select(point => (ValueOf(point, "throttled.journal.instance"), point.GetSumLong())));
    }

    [Fact]
    public void Each_histogram_has_the_buckets_of_the_page()
    {
        var histograms = metrics.All.Where(metric => metric.MetricType == MetricType.Histogram).ToList();
        Assert.Equal(
            Rows("instrument", "buckets").Select(row => (row[0], row[1])).Order(),
            histograms.Select(metric => (metric.Name, string.Join(", ", BucketsOf(metric).Select(bound => bound.ToString(CultureInfo.InvariantCulture))))).Order());
        Assert.All(histograms, metric => Assert.Equal("s", metric.Unit));
    }

    [Fact]
    public void Each_meter_has_a_version() => Assert.All(metrics.All, metric => Assert.Matches(@"^\d+\.\d+\.\d+", metric.MeterVersion));

    [Fact]
    public void Names_follow_the_conventions()
    {
        Assert.All(metrics.All, metric => Assert.Matches("^throttled(\\.[a-z][a-z_]*)+$", metric.Name));
        var names = metrics.All.Select(metric => metric.Name).ToList();
        // A name must not be a namespace of another one.
        Assert.All(names, name => Assert.DoesNotContain(names, other => other.StartsWith($"{name}.", StringComparison.Ordinal)));
        Assert.All(metrics.All, metric => Assert.NotEmpty(metric.Description));
    }

    [Fact]
    public async Task Activities_of_pages_and_of_batches_are_collected()
    {
        List<Activity> exported = [];
        using var journal = new JournalMetrics("sqlite", new() { Name = "traced" }, new(new(TimeProvider.System), () => 0));
        using var projection = new ProjectionMetrics("traced");
        using (var provider = Sdk.CreateTracerProviderBuilder().AddThrottledInstrumentation().AddInMemoryExporter(exported).Build())
        {
            await journal.MeasureAsync("page", () => Task.CompletedTask, CancellationToken.None);
            await journal.MeasureAsync("keys", () => Task.CompletedTask, CancellationToken.None);
            projection.Of("traced").StartBatch(0, 10)!.Dispose();
            provider.ForceFlush();
        }
        var traced = exported.Where(activity => activity.TagObjects.Any(tag => Equals(tag.Value, "traced"))).ToList();
        Assert.Equal(["page", "batch"], traced.Select(activity => activity.DisplayName));
        Assert.All(traced, activity => Assert.Equal(default, activity.ParentSpanId));
        Assert.All(traced, activity => Assert.Matches(@"^\d+\.\d+\.\d+", activity.Source.Version));
        Assert.DoesNotContain(exported, activity => activity.DisplayName == "keys" && activity.TagObjects.Any(tag => Equals(tag.Value, "traced")));
    }

    private static string KindOf(Metric metric) => metric.MetricType switch
    {
        MetricType.LongSum or MetricType.DoubleSum => "counter",
        MetricType.LongSumNonMonotonic or MetricType.DoubleSumNonMonotonic => "updowncounter",
        MetricType.LongGauge or MetricType.DoubleGauge => "gauge",
        MetricType.Histogram => "histogram",
        _ => metric.MetricType.ToString(),
    };

    private static IEnumerable<string> TagsOf(Metric metric) => Points(metric).SelectMany(TagsOf).Distinct();

    private static IReadOnlyList<string> TagsOf(MetricPoint point)
    {
        var tags = new List<string>();
        foreach (var tag in point.Tags)
            tags.Add(tag.Key);
        return tags;
    }

    private static object? ValueOf(MetricPoint point, string name)
    {
        object? value = null;
        foreach (var tag in point.Tags)
            value = tag.Key == name ? tag.Value : value;
        return value;
    }

    private static List<MetricPoint> Points(Metric metric)
    {
        var points = new List<MetricPoint>();
        foreach (ref readonly var point in metric.GetMetricPoints())
            points.Add(point);
        return points;
    }

    private static List<double> BucketsOf(Metric metric)
    {
        var bounds = new List<double>();
        foreach (var bucket in Points(metric)[0].GetHistogramBuckets())
        {
            if (double.IsFinite(bucket.ExplicitBound))
                bounds.Add(bucket.ExplicitBound);
        }
        return bounds;
    }

    /// <summary>The rows of the tables whose first columns have these names, without the backticks around code.</summary>
    private static List<string[]> Rows(params string[] columns)
    {
        var rows = new List<string[]>();
        var isIn = false;
        foreach (var line in File.ReadLines(Page))
        {
            string[] cells = line.StartsWith('|') ? [.. line[1..^1].Split('|').Select(cell => cell.Trim().Replace("`", "", StringComparison.Ordinal))] : [];
            if (isIn && cells.Length > 0 && !cells[0].StartsWith("---", StringComparison.Ordinal))
                rows.Add(cells);
            isIn = cells.Length > 0 && (isIn || IsHeader(cells, columns));
        }
        return rows;
    }

    // The table of instruments begins like that of buckets, which has fewer columns.
    private static bool IsHeader(string[] cells, string[] columns) =>
        cells.Take(columns.Length).SequenceEqual(columns) && (columns.Length > 1 || cells.Length != 2 || cells[1] != "buckets");
}
