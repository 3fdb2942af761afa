using System.Text.RegularExpressions;

namespace Throttled.Conventions;

public sealed partial class GuaranteeTests
{
    [Theory]
    [InlineData("docs/guarantees.md")]
    [InlineData("tests/Throttled.Journal.Tests/Simulation/MUTATIONS.md")]
    public void Every_test_that_a_page_names_exists(string page)
    {
        var names = Name().Matches(string.Join('\n', Repository.Lines(page))).Select(match => match.Groups[1].Value).Distinct().ToList();
        var tests = Repository.Sources()
            .Where(file => file.StartsWith("tests/", StringComparison.Ordinal))
            .SelectMany(Repository.Lines)
            .SelectMany(line => Declared().Matches(line).Select(match => match.Groups[1].Value))
            .ToHashSet(StringComparer.Ordinal);

        Assert.NotEmpty(names);
        Offences.None($"{page} names tests that do not exist:", names.Where(name => !tests.Contains(name)));
    }

    // A test name has words with underscores; a class of tests ends in Tests or Contract.
    [GeneratedRegex(@"`(?:\w+\.)?([A-Z]\w*(?:_\w+)+|\w+(?:Tests|Contract))`")]
    private static partial Regex Name();

    [GeneratedRegex(@"(?:\b(?:Task|void|class)) (\w+)")]
    private static partial Regex Declared();
}
