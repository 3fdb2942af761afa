using System.Text.RegularExpressions;

namespace Throttled.Conventions;

/// <summary>build.sh and build.ps1 do the same. Most of us run only the first, so tests compare them.</summary>
public sealed class BuildScriptTests
{
    private static readonly string Shell = string.Join('\n', Repository.Lines("build.sh"));
    private static readonly string PowerShell = string.Join('\n', Repository.Lines("build.ps1"));

    public static TheoryData<string> Verbs => [.. UsageOf(Shell).Select(line => Regex.Match(line, @"^\./build ([a-z-]+)")).Where(verb => verb.Success).Select(verb => verb.Groups[1].Value)];

    [Fact]
    public void All_packages_are_packed() => Assert.Equal(
        Repository.Packages.Select(package => $"src/{package}/{package}.csproj"),
        Repository.ProjectsOf("Throttled.Packages.slnf").OrderBy(Path.GetFileNameWithoutExtension, StringComparer.Ordinal));

    [Fact]
    public void Both_describe_the_same_verbs_and_options() => Assert.Equal(UsageOf(Shell), UsageOf(PowerShell));

    [Theory]
    [MemberData(nameof(Verbs))]
    public void Both_execute_each_verb_that_they_describe(string verb)
    {
        Assert.Matches($@"(?m)^\s+([a-z' -]+ \| )*{verb}( \| [a-z -]+)*\)", Shell);
        Assert.Matches($@"(?m)^\s+'{verb}' {{", PowerShell);
    }

    // The verb's part of each script, which the caller's directory is passed to.
    [Theory]
    [InlineData("build.sh", @"(?m)^\s+tool\) directory=\$caller run src/Throttled\.Tool ""\$@"" ;;$", @"(?m)^caller=\$PWD\ncd ")]
    [InlineData("build.ps1", @"(?m)^\s+'tool' { Invoke-Project 'src/Throttled\.Tool' \$caller }$", @"(?m)^\$caller = \(Get-Location\)\.Path\nSet-Location ")]
    public void Both_run_the_tool_in_the_directory_of_their_caller(string script, string verb, string caller)
    {
        var text = script == "build.sh" ? Shell : PowerShell;
        Assert.Matches(verb, text);
        Assert.Matches(caller, text);
        Assert.Contains("-p:RunWorkingDirectory=$directory", text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(@"--[a-z][a-z-]+")]
    [InlineData(@"THROTTLED_[A-Z_]+")]
    [InlineData(@"Category!?=Long[^'""$]*")]
    [InlineData(@"(samples|src|benchmarks)/[A-Za-z.]+")]
    [InlineData(@"dotnet (restore|build|test|pack|run)")]
    [InlineData(@"-p:[A-Za-z=0-9]+")]
    public void Both_use_the_same_words_and_options(string pattern) => Assert.Equal(WordsOf(Shell, pattern), WordsOf(PowerShell, pattern));

    private static string[] WordsOf(string script, string pattern) =>
        [.. Regex.Matches(script, pattern).Select(word => word.Value).Distinct().Order(StringComparer.Ordinal)];

    // The lines that describe a verb or an option, with the same script name in both.
    private static string[] UsageOf(string script) =>
        [.. Regex.Matches(script, @"(?m)^(\./build\.(sh|ps1) |  --).+$").Select(line => Regex.Replace(line.Value, @"build\.(sh|ps1)", "build").Trim())
            .Select(line => Regex.Replace(line, " +", " "))];
}
