using System.Text.RegularExpressions;
using OpenTelemetry.Metrics;

namespace Throttled.OpenTelemetry.Tests;

/// <summary>
/// The names of metrics in Prometheus, by OpenTelemetry's rules: https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/.
/// The SDK's own exporter has only beta versions.
/// </summary>
internal static partial class PrometheusName
{
    /// <summary>The series of a metric: one, or those of a histogram.</summary>
    internal static IEnumerable<string> SeriesOf(Metric metric)
    {
        var name = Of(metric.Name) + SuffixOf(metric.Unit);
        return metric.MetricType switch
        {
            MetricType.LongSum or MetricType.DoubleSum => [$"{name}_total"],
            MetricType.Histogram => [$"{name}_bucket", $"{name}_count", $"{name}_sum"],
            _ => [name],
        };
    }

    internal static string Of(string name) => Refused().Replace(name, "_");

    // A unit in braces is an annotation, and is left out.
    private static string SuffixOf(string unit) => unit switch
    {
        "s" => "_seconds",
        "By" => "_bytes",
        _ when unit.StartsWith('{') => "",
        _ => throw new NotSupportedException($"The unit '{unit}' is not translated; add it here by OpenTelemetry's rules."),
    };

    [GeneratedRegex("[^a-zA-Z0-9_:]")]
    private static partial Regex Refused();
}
