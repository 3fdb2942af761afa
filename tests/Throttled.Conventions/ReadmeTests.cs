using System.Text.RegularExpressions;

namespace Throttled.Conventions;

public sealed partial class ReadmeTests
{
    [Theory]
    [InlineData("README.md")]
    [InlineData("docs/getting-started.md")]
    [InlineData("docs/queries.md")]
    public void Code_in_the_docs_is_from_a_sample_that_compiles(string page)
    {
        var samples = Repository.TrackedFiles()
            .Where(file => file.StartsWith("samples/", StringComparison.Ordinal) && file.EndsWith(".cs", StringComparison.Ordinal))
            .Select(Text)
            .ToList();
        var blocks = CSharp().Matches(Text(page)).Select(match => match.Groups[1].Value).ToList();

        Assert.NotEmpty(blocks);
        Assert.All(blocks, block => Assert.Contains(samples, sample => sample.Contains(block.TrimEnd(), StringComparison.Ordinal)));
    }

    [Fact]
    public void Links_in_the_readme_lead_to_tracked_files()
    {
        var files = Repository.TrackedFiles().ToList();
        Offences.None(
            "These links lead nowhere:",
            from Match link in Link().Matches(Text("README.md"))
            let target = link.Groups[1].Value
            where !files.Any(file => file == target || file.StartsWith(target + "/", StringComparison.Ordinal))
            select target);
    }

    private static string Text(string file) =>
        File.ReadAllText(Path.Combine(Repository.Root, file)).ReplaceLineEndings("\n");

    [GeneratedRegex(@"```csharp\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex CSharp();

    [GeneratedRegex(@"\]\((?!https?:)([^)#]+)\)")]
    private static partial Regex Link();
}
