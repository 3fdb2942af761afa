using System.Text.RegularExpressions;

namespace Throttled.Conventions;

public sealed partial class SourceTests
{
    private const int MostLines = 350;

    [Fact]
    public void There_are_sources_to_check()
    {
        Assert.NotEmpty(Repository.Packages);
        Assert.NotEmpty(Repository.Sources());
        Assert.NotEmpty(Repository.TrackedFiles());
    }

    [Fact]
    public void No_file_is_longer_than_350_lines() =>
        Offences.None(
            $"Split these files; they may have at most {MostLines} lines:",
            from file in Repository.Sources()
            let lines = Repository.Lines(file).Length
            where lines > MostLines
            select $"{file}: {lines} lines");

    [Fact]
    public void No_file_has_regions() =>
        Offences.None("Use a file with a name instead of a region:", Occurrences(Repository.Sources(), Region()));

    [Fact]
    public void No_tracked_file_names_a_path_of_one_machine() =>
        Offences.None("These paths exist on one machine only:", Occurrences(TrackedTexts(), MachinePath()));

    [Fact]
    public void No_tracked_file_names_a_package_source() =>
        Offences.None(
            "The package source is a setting of the machine, not of the repository:",
            Occurrences(TrackedTexts(), PackageSource()));

    private static IEnumerable<string> Occurrences(IEnumerable<string> files, Regex pattern) =>
        from file in files
        from line in Repository.Lines(file).Index()
        let match = pattern.Match(line.Item)
        where match.Success
        select $"{file}:{line.Index + 1}: {match.Value.Trim()}";

    /// <summary>A file with a zero byte is no text.</summary>
    private static IEnumerable<string> TrackedTexts() =>
        Repository.TrackedFiles()
            .Where(file => !File.ReadAllBytes(Path.Combine(Repository.Root, file)).AsSpan().Contains((byte)0));

    [GeneratedRegex(@"^\s*#region\b")]
    private static partial Regex Region();

    // The patterns are written so that they do not match their own text.
    [GeneratedRegex(@"(?<![\w.*)\]}/-])/(?:work|root|home|Users|tmp|private|mnt)/[\w.-]|\b[A-Za-z]:\\(?:Users|Temp)\b")]
    private static partial Regex MachinePath();

    [GeneratedRegex(
        @"\bnuget\.org|\bpkgs\.dev\.|\bmyget\.org|\bjfrog\.io|\bartifactory\b|/v3/index\.json|\bnuget\.pkg\.github",
        RegexOptions.IgnoreCase)]
    private static partial Regex PackageSource();
}
