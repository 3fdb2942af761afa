using System.Globalization;
using System.Text.RegularExpressions;

namespace Throttled.Conventions;

/// <summary>What the pages quote exists: code, commands, files, headings and figures.</summary>
public sealed partial class DocumentTests
{
    private static readonly IReadOnlyList<string> Files = [.. Repository.TrackedFiles()];

    private static readonly IReadOnlyList<string> Pages =
        [.. Files.Where(file => file == "README.md" || (file.StartsWith("docs/", StringComparison.Ordinal) && file.EndsWith(".md", StringComparison.Ordinal)))];

    [Fact]
    public void Code_is_part_of_a_source_that_compiles()
    {
        var sources = Files.Where(IsCompiled).Select(file => Unindented(Text(file))).ToList();
        var blocks = Blocks("csharp").ToList();
        Assert.True(blocks.Count > 20, "Hardly any code was found.");
        Offences.None(
            "No sample and no Snippets.cs contains this code:",
            from block in blocks
            where !sources.Any(source => source.Contains(Unindented(block.Text), StringComparison.Ordinal))
            select $"{block.Page}: {block.Text.Split('\n')[0]}");
    }

    [Fact]
    public void Plain_text_is_no_code() => Offences.None(
        "This is C#; mark it as csharp, so that it is compiled:",
        from block in Blocks("text")
        from line in block.Text.Split('\n')
        where Statement().IsMatch(line)
        select $"{block.Page}: {line}");

    [Fact]
    public void Commands_exist()
    {
        var verbs = Verb().Matches(Text("build.sh")).Select(match => match.Groups[1].Value).ToHashSet(StringComparer.Ordinal);
        Assert.Contains("test", verbs);
        Offences.None(
            "build.sh has no such verb:",
            from page in Pages
            from Match command in BuildCommand().Matches(Text(page))
            where !verbs.Contains(command.Groups[1].Value)
            select $"{page}: {command.Value}");
        Offences.None(
            "There is no such package or project:",
            from page in Pages
            from Match command in DotnetCommand().Matches(Text(page))
            let named = command.Groups[1].Value
            where !Repository.Packages.Contains(named) && !Repository.Projects.Contains($"{named}/{named.Split('/')[^1]}.csproj")
            select $"{page}: {command.Value}");
    }

    [Fact]
    public void Links_lead_to_files_and_headings() => Offences.None(
        "These links lead nowhere:",
        from page in Pages
        from Match link in Link().Matches(Text(page))
        let parts = link.Groups[1].Value.Split('#')
        let target = parts[0].Length == 0 ? page : Resolved(page, parts[0])
        where !Files.Any(file => file == target || file.StartsWith(target + "/", StringComparison.Ordinal))
            || (parts.Length > 1 && target.EndsWith(".md", StringComparison.Ordinal) && !Anchors(target).Contains(parts[1]))
        select $"{page}: {link.Groups[1].Value}");

    [Fact]
    public void An_event_passes_at_most_35_types_which_exist()
    {
        var known = new[] { "Throttled.Journal", "Throttled.Journal.Sqlite" }.SelectMany(package => Repository.AssemblyOf(package).GetTypes())
            .Select(type => type.Name.Split('`')[0]).ToHashSet(StringComparer.Ordinal);
        var types = Step().Matches(Text("docs/architecture.md")).SelectMany(step => Quoted().Matches(step.Value)).Select(match => match.Groups[1].Value).ToList();
        Assert.InRange(types.Count, 20, 35);
        Assert.Equal(types.Distinct(), types);
        Assert.All(types, type => Assert.Contains(type, known));
    }

    [Fact]
    public void Figures_of_the_readme_are_those_of_the_results()
    {
        var rows = Repository.Lines("README.md").SkipWhile(line => line != "## Measured").TakeWhile(line => line != "## Limits")
            .Where(line => line.StartsWith("| [", StringComparison.Ordinal)).ToList();
        Assert.True(rows.Count >= 5, "The table of figures was not found.");
        Offences.None(
            "The linked result has no such figure:",
            from row in rows
            let result = Number().Matches(Text(Link().Match(row).Groups[1].Value)).Select(match => match.Value).ToHashSet(StringComparer.Ordinal)
            from cell in row.Split('|').Skip(2)
            from figure in Number().Matches(cell).Select(match => match.Value)
            where !result.Contains(figure)
            select $"{figure} in {row}");
    }

    [Fact]
    public void The_readme_is_one_page_of_at_most_150_lines() => Assert.InRange(Repository.Lines("README.md").Length, 1, 150);

    [Fact]
    public void The_shop_has_at_most_250_lines() => Assert.InRange(
        Repository.TrackedFiles()
            .Where(file => file.StartsWith("samples/Shop/", StringComparison.Ordinal) && file.EndsWith(".cs", StringComparison.Ordinal))
            .Sum(file => Repository.Lines(file).Length),
        1,
        250);

    private static bool IsCompiled(string file) =>
        file.EndsWith(".cs", StringComparison.Ordinal)
        && (file.StartsWith("samples/", StringComparison.Ordinal) || file.EndsWith("Snippets.cs", StringComparison.Ordinal));

    private static IEnumerable<(string Page, string Text)> Blocks(string language) =>
        from page in Pages
        from Match block in Fence().Matches(Text(page))
        where block.Groups[1].Value == language
        select (page, block.Groups[2].Value);

    // Samples are indented and use blank lines as they like.
    private static string Unindented(string code) =>
        string.Join('\n', code.Split('\n').Select(line => line.Trim()).Where(line => line.Length > 0));

    private static string Resolved(string page, string path) =>
        Path.GetRelativePath(Repository.Root, Path.GetFullPath(Path.Combine(Repository.Root, Path.GetDirectoryName(page)!, path))).Replace('\\', '/');

    // As GitHub makes them: https://docs.github.com/get-started/writing-on-github (section links).
    private static HashSet<string> Anchors(string page) =>
    [
        .. Heading().Matches(Fence().Replace(Text(page), "")).Select(match => match.Groups[1].Value)
            .Select(heading => NotInAnchor().Replace(heading.ToLower(CultureInfo.InvariantCulture), "").Trim().Replace(' ', '-')),
    ];

    private static string Text(string file) => File.ReadAllText(Path.Combine(Repository.Root, file)).ReplaceLineEndings("\n");

    [GeneratedRegex(@"^```(\S+)[^\n]*\n(.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Fence();

    [GeneratedRegex(@"^\s*(await |using |var |return |services\.|akka\.)|\);\s*$")]
    private static partial Regex Statement();

    [GeneratedRegex(@"^\./build\.sh ([\w-]+)", RegexOptions.Multiline)]
    private static partial Regex Verb();

    [GeneratedRegex(@"\./build\.sh ([\w-]+)")]
    private static partial Regex BuildCommand();

    [GeneratedRegex(@"dotnet (?:add package|tool install|run --project) ([\w./]+\w)")]
    private static partial Regex DotnetCommand();

    [GeneratedRegex(@"\]\((?!https?:)([^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"^\| \d+ \|.*$", RegexOptions.Multiline)]
    private static partial Regex Step();

    [GeneratedRegex("`(\\w+)`")]
    private static partial Regex Quoted();

    [GeneratedRegex(@"\d[\d,]*(\.\d+)?")]
    private static partial Regex Number();

    [GeneratedRegex(@"^#+ (.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"[^\w\- ]")]
    private static partial Regex NotInAnchor();
}
