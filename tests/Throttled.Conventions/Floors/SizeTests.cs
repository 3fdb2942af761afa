using System.Globalization;
using Throttled.Conventions.Reference;

namespace Throttled.Conventions.Floors;

/// <summary>The packages stay as small as <c>docs/architecture.md</c> says.</summary>
public sealed class SizeTests
{
    private const int LeastLines = 15;

    // An entry point, and a public exception that two floors need.
    private static readonly string[] Short = ["src/Throttled.Tool/Program.cs", "src/Akka.Persistence.Query.Throttled/Model/JournalClosedException.cs"];

    [Fact]
    public void Each_package_has_a_limit() => Assert.Equal(Repository.Packages, Limits().Select(limit => limit.Package).Order(StringComparer.Ordinal));

    [Fact]
    public void No_package_has_more_files_or_lines_than_its_limit() => Offences.None(
        "Make the package smaller, or say in docs/architecture.md why its limit is higher now:",
        from limit in Limits()
        let files = FilesOf(limit.Package).ToList()
        let lines = files.Sum(file => Repository.Lines(file).Length)
        where files.Count > limit.Files || lines > limit.Lines
        select $"{limit.Package}: {files.Count} files, {lines} lines");

    [Fact]
    public void A_file_is_long_enough_to_be_opened() => Offences.None(
        "Move the types of these files to the file of their concept:",
        from package in Repository.Packages
        from file in FilesOf(package)
        where Repository.Lines(file).Length < LeastLines && !Short.Contains(file)
        select file);

    private static IEnumerable<string> FilesOf(string package) => Repository.Sources().Where(file => file.StartsWith($"src/{package}/", StringComparison.Ordinal));

    private static IEnumerable<(string Package, int Files, int Lines)> Limits() =>
        from row in PageTable.Rows("docs/architecture.md", "project", "files at most", "lines at most")
        select (row[0], NumberOf(row[1]), NumberOf(row[2]));

    private static int NumberOf(string cell) => int.Parse(cell, NumberStyles.AllowThousands, CultureInfo.InvariantCulture);
}
