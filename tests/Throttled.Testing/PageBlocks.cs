using System.Text.RegularExpressions;

namespace Throttled.Testing;

/// <summary>The blocks of code in README.md and docs/.</summary>
public static partial class PageBlocks
{
    /// <param name="languages">As they stand behind the three backticks. sql is for PostgreSQL, tsql for SQL Server.</param>
    public static IReadOnlyList<(string Page, string Language, string Text)> Of(params string[] languages) =>
    [
        .. from page in Directory.EnumerateFiles(Path.Combine(WorkingCopy.Root, "docs"), "*.md", SearchOption.AllDirectories)
               .Append(Path.Combine(WorkingCopy.Root, "README.md")).Order(StringComparer.Ordinal)
           from Match block in Block().Matches(File.ReadAllText(page).ReplaceLineEndings("\n"))
           where languages.Contains(block.Groups[1].Value)
           select (Path.GetFileName(page), block.Groups[1].Value, block.Groups[2].Value),
    ];

    [GeneratedRegex(@"^```(\w+)\n(.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Block();
}
