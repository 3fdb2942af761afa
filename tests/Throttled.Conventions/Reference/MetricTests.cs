using System.Text.RegularExpressions;

namespace Throttled.Conventions.Reference;

public sealed partial class MetricTests
{
    private const string Page = "docs/operating/metrics.md";

    [Fact]
    public void The_page_has_each_instrument() => Assert.Equal(
        Created().Order(StringComparer.Ordinal),
        PageTable.Rows(Page, "instrument", "kind", "unit").Select(row => row[0]).Order(StringComparer.Ordinal));

    [Fact]
    public void Pages_name_only_metrics_that_exist()
    {
        var known = Created().Concat(PageTable.Rows(Page, "attribute", "value").Select(row => row[0])).ToHashSet(StringComparer.Ordinal);
        Offences.None(
            "There is no such metric or tag:",
            from page in Repository.TrackedFiles().Where(file => file.EndsWith(".md", StringComparison.Ordinal))
            from line in Repository.Lines(page)
            from Match name in Named().Matches(line)
            where !known.Contains(name.Groups[1].Value)
            select $"{page}: {name.Groups[1].Value}");
    }

    private static IEnumerable<string> Created() =>
        from file in Repository.Sources()
        where file.StartsWith("src/", StringComparison.Ordinal) && file.EndsWith("Metrics.cs", StringComparison.Ordinal)
        from line in Repository.Lines(file)
        from Match match in Instrument().Matches(line)
        select match.Groups[1].Value;

    [GeneratedRegex(@"(?:Gauge|Counter|Histogram)(?:<\w+>)?\(""(throttled\.[\w.]+)""")]
    private static partial Regex Instrument();

    [GeneratedRegex(@"`(throttled\.(?:journal|projection|cluster|feed)\.[\w.]+)`")]
    private static partial Regex Named();
}
