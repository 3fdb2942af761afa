extern alias crush;
extern alias twins;

using System.Text.RegularExpressions;
using crush::CrushTest.Settings;
using Throttled.Testing;
using twins::DigitalTwins.Settings;

namespace Throttled.Tool.Tests.Documents;

/// <summary>The commands that the pages show have verbs and options that exist.</summary>
public sealed partial class CommandTests
{
    private static readonly IReadOnlyList<(string Page, string[] Words)> Commands = [.. Read()];

    [Fact]
    public async Task The_tool_knows_each_command()
    {
        var commands = Commands.Where(each => each.Words is ["throttled", "doctor" or "journal" or "tail" or "reshard" or "projections", ..] or ["./build.sh", "tool", ..]).ToList();
        Assert.True(commands.Count >= 10, "Hardly any command was found.");
        Dictionary<string, ToolOutput> helps = [];
        foreach (var (page, words) in commands)
        {
            var arguments = words.Skip(words[0] == "throttled" ? 1 : 2).ToList();
            var verbs = arguments.TakeWhile(word => Verb().IsMatch(word)).ToArray();
            if (!helps.TryGetValue(string.Join(' ', verbs), out var help))
                helps[string.Join(' ', verbs)] = help = await ToolOutput.OfAsync([.. verbs, "--help"]);
            Assert.True(help.Code == 0, $"{page}: {string.Join(' ', words)}: {help.Errors}");
            Assert.All(arguments.Where(word => word.StartsWith("--", StringComparison.Ordinal) && word != "--help"), option =>
                Assert.True(help.Output.Contains($"  {option} ", StringComparison.Ordinal), $"{page}: {string.Join(' ', words)}: there is no {option}."));
        }
    }

    [Fact]
    public void The_crush_test_and_the_twins_know_each_command()
    {
        var count = 0;
        foreach (var (page, words) in Commands)
        {
            Func<string[], object>? read = words switch
            {
                ["./build.sh", "crush", ..] => CrushCommand.Read,
                ["./build.sh", "twins", ..] => TwinsCommand.Read,
                _ => null,
            };
            if (read is null)
                continue;
            count++;
            var error = Record.Exception(() => read(words[2..]));
            Assert.True(error is null, $"{page}: {string.Join(' ', words)}: {error?.Message}");
        }
        Assert.True(count > 8, "Hardly any command was found.");
    }

    [Theory]
    [InlineData("benchmarks/Throttled.Benchmarks/Program.cs", "./build.sh bench ")]
    [InlineData("samples/QuickStart/Program.cs", "dotnet run --project samples/QuickStart ")]
    public void A_program_knows_each_verb(string program, string start)
    {
        var verbs = Case().Matches(File.ReadAllText(Path.Combine(WorkingCopy.Root, program))).Select(match => match.Groups[1].Value).ToHashSet(StringComparer.Ordinal);
        var used = Commands.Select(each => (each.Page, Text: string.Join(' ', each.Words))).Where(each => each.Text.StartsWith(start, StringComparison.Ordinal)).ToList();
        Assert.NotEmpty(used);
        Assert.All(used, each => Assert.True(verbs.Contains(each.Text[start.Length..].Split(' ')[0]), $"{each.Page}: {each.Text}"));
    }

    [Fact]
    public void The_page_names_each_benchmark()
    {
        var page = File.ReadAllText(Path.Combine(WorkingCopy.Root, "docs", "benchmarks.md"));
        var verbs = Case().Matches(File.ReadAllText(Path.Combine(WorkingCopy.Root, "benchmarks", "Throttled.Benchmarks", "Program.cs"))).Select(match => match.Groups[1].Value);
        Assert.All(verbs.Where(verb => verb != "projections-on"), verb => Assert.Matches($"`(./build.sh bench )?{verb}`", page));
    }

    // A description of arguments, as in "[arguments]" or "…", is left out.
    private static IEnumerable<(string Page, string[] Words)> Read() =>
        from page in Directory.EnumerateFiles(Path.Combine(WorkingCopy.Root, "docs"), "*.md", SearchOption.AllDirectories)
            .Concat([Path.Combine(WorkingCopy.Root, "README.md"), Path.Combine(WorkingCopy.Root, "CONTRIBUTING.md")])
        let text = File.ReadAllText(page).ReplaceLineEndings("\n").Replace("\\\n", " ", StringComparison.Ordinal)
        from Match command in Command().Matches(text)
        select (Path.GetFileName(page), Word().Matches(command.Groups[1].Value).Select(word => word.Value.Trim('"', '\''))
            .TakeWhile(word => word is not ("#" or "…") && !word.StartsWith('[')).ToArray());

    // In a block of commands at the start of a line, otherwise between backticks.
    [GeneratedRegex(@"(?:`|^ *)((?:throttled|\./build\.sh|dotnet run) [^`\n]+)", RegexOptions.Multiline)]
    private static partial Regex Command();

    [GeneratedRegex("\"[^\"]*\"|'[^']*'|[^\\s\"']+")]
    private static partial Regex Word();

    [GeneratedRegex("^[a-z]{2,}[a-z-]*$")]
    private static partial Regex Verb();

    [GeneratedRegex(@"^\s*(?:case )?\[""([a-z-]+)""", RegexOptions.Multiline)]
    private static partial Regex Case();
}
