using System.Text.RegularExpressions;

namespace Throttled.Conventions;

public sealed partial class GuaranteeTests
{
    [Fact]
    public void Every_test_that_the_guarantees_name_is_there()
    {
        var names = Name().Matches(string.Join('\n', Repository.Lines("docs/guarantees.md"))).Select(match => match.Groups[1].Value).Distinct().ToList();
        var tests = Repository.Sources()
            .Where(file => file.StartsWith("tests/", StringComparison.Ordinal))
            .SelectMany(Repository.Lines)
            .SelectMany(line => Declared().Matches(line).Select(match => match.Groups[1].Value))
            .ToHashSet(StringComparer.Ordinal);

        Assert.NotEmpty(names);
        Offences.None("These tests are promised and not there:", names.Where(name => !tests.Contains(name)));
    }

    // A test's name is a claim in words; a class of tests ends in what it is.
    [GeneratedRegex(@"`([A-Z]\w*(?:_\w+)+|\w+(?:Tests|Contract))`")]
    private static partial Regex Name();

    [GeneratedRegex(@"(?:\b(?:Task|void|class)) (\w+)")]
    private static partial Regex Declared();
}
