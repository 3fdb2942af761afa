using System.Text.RegularExpressions;

namespace Throttled.Testing;

/// <summary>The SQL that the pages show.</summary>
public static partial class DocumentedSql
{
    /// <param name="language">sql for PostgreSQL, tsql for SQL Server.</param>
    /// <returns>Each block with its page.</returns>
    public static IReadOnlyList<(string Name, string Sql)> Of(string language) =>
    [
        .. from page in Directory.EnumerateFiles(Path.Combine(Root(), "docs"), "*.md", SearchOption.AllDirectories).Order(StringComparer.Ordinal)
           from Match block in Block().Matches(File.ReadAllText(page).ReplaceLineEndings("\n"))
           where block.Groups[1].Value == language
           select ($"{Path.GetFileName(page)}: {block.Groups[2].Value.Split('\n')[0]}", block.Groups[2].Value),
    ];

    private static string Root()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, "Throttled.slnf")))
            folder = folder.Parent;
        return folder?.FullName ?? throw new InvalidOperationException("No folder above the tests holds Throttled.slnf.");
    }

    [GeneratedRegex(@"^```(\w+)\n(.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Block();
}
