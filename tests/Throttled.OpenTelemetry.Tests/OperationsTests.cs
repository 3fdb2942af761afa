using System.Text.Json;
using System.Text.RegularExpressions;

namespace Throttled.OpenTelemetry.Tests;

/// <summary>The dashboard and the alerts name metrics and attributes that exist, and leave no metric out.</summary>
[Collection(nameof(ExportedMetrics))]
public sealed partial class OperationsTests(ExportedMetrics metrics)
{
    private const string Dashboard = "ops/grafana/throttled.json";
    private const string Alerts = "ops/prometheus/alerts.yml";

    [Theory]
    [InlineData(Dashboard)]
    [InlineData(Alerts)]
    public void It_names_only_metrics_and_attributes_that_exist(string file)
    {
        var known = metrics.All.SelectMany(PrometheusName.SeriesOf).Concat(Attributes()).ToHashSet(StringComparer.Ordinal);
        var named = NamesIn(file).ToList();
        Assert.NotEmpty(named);
        Assert.All(named, name => Assert.Contains(name, known));
    }

    [Fact]
    public void The_dashboard_shows_each_metric()
    {
        var named = NamesIn(Dashboard).ToHashSet(StringComparer.Ordinal);
        Assert.All(metrics.All, metric => Assert.Contains(PrometheusName.SeriesOf(metric), named.Contains));
    }

    [Fact]
    public void There_is_an_alert_for_each_metric_that_alarms_by_the_page()
    {
        var named = NamesIn(Alerts).ToHashSet(StringComparer.Ordinal);
        var alarming = AlarmingRow().Matches(Text("docs/operating/metrics.md")).Select(row => row.Groups[1].Value).ToList();
        Assert.NotEmpty(alarming);
        Assert.All(alarming, name => Assert.Contains(PrometheusName.SeriesOf(metrics[name]), named.Contains));
    }

    [Fact]
    public void Each_alert_has_a_severity_a_summary_and_a_heading_of_the_runbook()
    {
        var headings = Heading().Matches(Text("docs/operating/runbook.md"))
            .Select(heading => AnchorSign().Replace(heading.Groups[1].Value.ToLowerInvariant(), "").Replace(' ', '-')).ToHashSet(StringComparer.Ordinal);
        var alerts = Text(Alerts).Split("- alert: ")[1..];
        Assert.NotEmpty(alerts);
        Assert.All(alerts, alert =>
        {
            Assert.Contains("severity: ", alert, StringComparison.Ordinal);
            Assert.Contains("summary: ", alert, StringComparison.Ordinal);
            Assert.Contains(RunbookLink().Match(alert).Groups[1].Value, headings);
        });
    }

    [Fact]
    public void The_page_lists_each_alert_and_no_other() => Assert.Equal(
        AlertName().Matches(Text(Alerts)).Select(alert => alert.Groups[1].Value).Order(),
        QuotedAlert().Matches(Text("docs/operating/alerts.md")).Select(alert => alert.Groups[1].Value).Distinct().Order());

    [Fact]
    public void The_dashboard_has_one_id_for_each_panel_and_no_panel_over_another()
    {
        using var dashboard = JsonDocument.Parse(Text(Dashboard));
        var panels = dashboard.RootElement.GetProperty("panels").EnumerateArray().ToList();
        Assert.Equal(panels.Count, panels.Select(panel => panel.GetProperty("id").GetInt32()).Distinct().Count());
        var cells = panels.Select(panel => panel.GetProperty("gridPos")).SelectMany(Cells).ToList();
        Assert.Equal(cells.Count, cells.Distinct().Count());
        Assert.All(cells, cell => Assert.InRange(cell.X, 0, 23));
    }

    private static IEnumerable<(int X, int Y)> Cells(JsonElement place) =>
        from x in Enumerable.Range(place.GetProperty("x").GetInt32(), place.GetProperty("w").GetInt32())
        from y in Enumerable.Range(place.GetProperty("y").GetInt32(), place.GetProperty("h").GetInt32())
        select (x, y);

    private static IEnumerable<string> Attributes() =>
        AttributeRow().Matches(Text("docs/operating/metrics.md")).Select(row => PrometheusName.Of(row.Groups[1].Value));

    // The names of the rule groups and of the dashboard have no underscore.
    private static IEnumerable<string> NamesIn(string file) => Named().Matches(Text(file)).Select(name => name.Value).Distinct();

    private static string Text(string file) => File.ReadAllText(Path.Combine(Testing.WorkingCopy.Root, file));

    [GeneratedRegex(@"\bthrottled_\w+")]
    private static partial Regex Named();

    [GeneratedRegex(@"^\| `([a-z_.]+)` \| [^|]+ \|$", RegexOptions.Multiline)]
    private static partial Regex AttributeRow();

    [GeneratedRegex(@"^\| `(throttled[a-z_.]+)` \| \w+ \| `[^`]+` \|[^|]*\|[^|]*\|[^|]*\| [^|]+ \|$", RegexOptions.Multiline)]
    private static partial Regex AlarmingRow();

    [GeneratedRegex(@"^#+ (.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex("[^a-z0-9 -]")]
    private static partial Regex AnchorSign();

    [GeneratedRegex(@"runbook: docs/operating/runbook\.md#([a-z0-9-]+)")]
    private static partial Regex RunbookLink();

    [GeneratedRegex(@"- alert: (\w+)")]
    private static partial Regex AlertName();

    [GeneratedRegex("`(Throttled[A-Z]\\w+)`")]
    private static partial Regex QuotedAlert();
}
