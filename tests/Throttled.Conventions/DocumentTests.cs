using System.Globalization;
using System.Text.RegularExpressions;

namespace Throttled.Conventions;

/// <summary>What the pages quote exists: code, commands, files, headings and figures.</summary>
public sealed partial class DocumentTests
{
    private static readonly IReadOnlyList<string> Files = [.. Repository.TrackedFiles()];

    private static readonly IReadOnlyList<string> Pages =
    [
        .. Files.Where(file => file is "README.md" or "CONTRIBUTING.md" or "CHANGELOG.md"
            || (file.EndsWith(".md", StringComparison.Ordinal) && (file.StartsWith("docs/", StringComparison.Ordinal) || file.StartsWith("benchmarks/", StringComparison.Ordinal)))),
    ];

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

    // What the doctor suggests comes after an arrow, and may be SQL.
    [Fact]
    public void Plain_text_is_no_code() => Offences.None(
        "This is C#; mark it as csharp, so that it is compiled:",
        from block in Blocks("text")
        from line in block.Text.Split('\n')
        where Statement().IsMatch(line) && !line.TrimStart().StartsWith('→')
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

    // The second table has the rows that are others on PostgreSQL.
    [Theory]
    [InlineData(false, "Throttled.Journal.Sqlite")]
    [InlineData(true, "Throttled.Journal.Relational", "Throttled.Journal.PostgreSql")]
    public void An_event_passes_at_most_35_types_which_exist(bool isOtherTable, params string[] packages)
    {
        var known = packages.Append("Throttled.Journal").SelectMany(package => Repository.AssemblyOf(package).GetTypes())
            .Select(type => type.Name.Split('`')[0]).ToHashSet(StringComparer.Ordinal);
        var steps = Step().Matches(Text("docs/architecture.md")).GroupBy(step => step.Groups[1].Value, step => step.Value).ToList();
        Assert.Equal(["8", "9"], steps.Where(rows => rows.Count() == 2).Select(rows => rows.Key));
        var types = steps.SelectMany(rows => Quoted().Matches(isOtherTable ? rows.Last() : rows.First())).Select(match => match.Groups[1].Value).ToList();
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
    public void Statements_in_a_text_are_part_of_a_script_or_a_block_which_tests_run()
    {
        var sources = Files.Where(file => file.StartsWith("docs/sql/", StringComparison.Ordinal)).Select(Text).Concat(Blocks("sql").Concat(Blocks("tsql")).Select(block => block.Text)).ToList();
        Offences.None(
            "No script of docs/sql and no block has this statement:",
            from page in Pages
            from Match statement in Sql().Matches(Text(page))
            where statement.Groups[1].Value != "PRAGMA journal_mode = WAL;" && !sources.Any(source => source.Contains(statement.Groups[1].Value, StringComparison.Ordinal))
            select $"{page}: {statement.Groups[1].Value}");
    }

    // The page may round them, to the digits that it shows or to two.
    [Fact]
    public void Figures_of_the_benchmarks_are_those_of_the_results()
    {
        var sections = Text("docs/benchmarks.md").Split("\n## ").Where(section => Result().IsMatch(section)).ToList();
        Assert.True(sections.Count >= 8, "The tables of figures were not found.");
        Offences.None(
            "The linked results have no such figure:",
            from section in sections
            let results = Result().Matches(section).SelectMany(link => Number().Matches(Text(Resolved("docs/benchmarks.md", link.Groups[1].Value)))).Select(match => ValueOf(match.Value)).ToList()
            from row in Body().Matches(section).SelectMany(body => body.Groups[1].Value.Split('\n', StringSplitOptions.RemoveEmptyEntries))
            from cell in row.Split('|').Skip(2)
            from figure in Number().Matches(cell).Select(match => match.Value)
            where !results.Any(result => IsRounded(result, figure))
            select $"{figure} in {row}");
    }

    [Fact]
    public void Every_picture_is_on_a_page_and_readable_on_light_and_dark()
    {
        var pictures = Files.Where(file => file.StartsWith("docs/pictures/", StringComparison.Ordinal)).ToList();
        Assert.True(pictures.Count >= 8, "The pictures were not found.");
        Offences.None("No page shows this picture:", pictures.Where(picture => !Pages.Any(page => Text(page).Contains($"pictures/{Path.GetFileName(picture)})", StringComparison.Ordinal))));
        Offences.None("This picture has no colours for a dark page:", pictures.Where(picture => !HasDark(picture, pictures)));
    }

    [Fact]
    public void The_readme_leads_to_every_page()
    {
        var text = Text("README.md");
        Offences.None(
            "README.md has no link to this page:",
            Files.Where(file => file.StartsWith("docs/", StringComparison.Ordinal) && file.EndsWith(".md", StringComparison.Ordinal) && !file.StartsWith("docs/decisions/", StringComparison.Ordinal))
                .Where(page => !text.Contains($"]({page})", StringComparison.Ordinal)));
        Offences.None(
            "README.md and docs/architecture.md have a row for each package; this one is missing:",
            from package in Repository.Packages
            where package is not ("Throttled.Journal" or "Throttled.Journal.Relational" or "Throttled.Journal.PostgreSql" or "Throttled.Journal.SqlServer")
                && !package.StartsWith("Throttled.Projections.", StringComparison.Ordinal)
                && !(text.Contains($"| `{package}`", StringComparison.Ordinal) && Text("docs/architecture.md").Contains($"| `{package}`", StringComparison.Ordinal))
            select package);
    }

    [Fact]
    public void Tests_in_commands_exist()
    {
        var tests = string.Join('\n', Repository.Sources().Where(file => file.StartsWith("tests/", StringComparison.Ordinal)).Select(Text));
        Offences.None(
            "No test has this name:",
            from page in Pages
            from Match name in FilteredName().Matches(Text(page))
            where !tests.Contains(name.Groups[1].Value, StringComparison.Ordinal)
            select $"{page}: {name.Value}");
    }

    [Fact]
    public void The_readme_is_one_page_of_at_most_150_lines() => Assert.InRange(Repository.Lines("README.md").Length, 1, 150);

    // The actors, streams and requests have 250. The rest is the read model, written in three ways that can be compared, and a mail.
    [Fact]
    public void The_shop_has_at_most_500_lines() => Assert.InRange(
        Repository.TrackedFiles()
            .Where(file => file.StartsWith("samples/Shop/", StringComparison.Ordinal) && file.EndsWith(".cs", StringComparison.Ordinal))
            .Sum(file => Repository.Lines(file).Length),
        1,
        500);

    [Fact]
    public void Each_way_to_write_the_read_model_of_the_shop_has_at_most_60_lines() => Assert.All(
        ["Sql", "Linq2Db", "EfCore"], name => Assert.InRange(Repository.Lines($"samples/Shop/Sales/{name}Sales.cs").Length, 1, 60));

    // A screenshot shows the page on light or on dark; the other one is beside it.
    private static bool HasDark(string picture, List<string> all) => picture.EndsWith(".png", StringComparison.Ordinal)
        ? all.Contains(picture.Contains("-light.", StringComparison.Ordinal)
            ? picture.Replace("-light.", "-dark.", StringComparison.Ordinal)
            : picture.Replace("-dark.", "-light.", StringComparison.Ordinal))
        : Text(picture).Contains("prefers-color-scheme: dark", StringComparison.Ordinal);

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

    private static double ValueOf(string figure) => double.Parse(figure, NumberStyles.Number, CultureInfo.InvariantCulture);

    private static bool IsRounded(double result, string figure)
    {
        var digits = figure.Split('.') is [_, var decimals] ? decimals.Length : 0;
        var power = result == 0 ? 0 : Math.Pow(10, Math.Floor(Math.Log10(Math.Abs(result))) - 1);
        var value = ValueOf(figure);
        return Math.Round(result, digits, MidpointRounding.AwayFromZero) == value
            || (power > 0 && Math.Abs((Math.Round(result / power, MidpointRounding.AwayFromZero) * power) - value) < value / 1e9);
    }

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

    [GeneratedRegex(@"^\| (\d+) \|.*$", RegexOptions.Multiline)]
    private static partial Regex Step();

    [GeneratedRegex("`(\\w+)`")]
    private static partial Regex Quoted();

    [GeneratedRegex(@"\d[\d,]*(\.\d+)?")]
    private static partial Regex Number();

    [GeneratedRegex(@"\]\((\.\./benchmarks/results/[^)#]+\.md)\)")]
    private static partial Regex Result();

    [GeneratedRegex(@"^\|[-:| ]+\|\n((?:\|.*\n)+)", RegexOptions.Multiline)]
    private static partial Regex Body();

    [GeneratedRegex("`((?:CREATE|ALTER|PRAGMA|GRANT|DROP) [^`]*;)`")]
    private static partial Regex Sql();

    [GeneratedRegex(@"FullyQualifiedName~([\w.]+)")]
    private static partial Regex FilteredName();

    [GeneratedRegex(@"^#+ (.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"[^\w\- ]")]
    private static partial Regex NotInAnchor();
}
