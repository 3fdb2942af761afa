using System.Text.RegularExpressions;

namespace Throttled.Conventions.PublicSurface;

public sealed partial class MemberPageTests
{
    // Akka.NET calls them, not an application.
    private static readonly HashSet<string> OfAkka = ["DefaultConfiguration", "GetReadJournal"];

    private static readonly HashSet<string> OfEveryType = ["Equals", "GetEnumerator"];

    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void Every_public_type_and_member_is_in_a_page(string package)
    {
        var pages = Repository.TrackedFiles().Where(file => file == "README.md" || (file.StartsWith("docs/", StringComparison.Ordinal) && file.EndsWith(".md", StringComparison.Ordinal)));
        var words = pages.SelectMany(Repository.Lines).SelectMany(line => Word().Matches(line).Select(word => word.Value)).ToHashSet(StringComparer.Ordinal);
        var settings = words.ToHashSet(StringComparer.OrdinalIgnoreCase);

        Offences.None(
            $"No page names these of {package}:",
            from line in Repository.Lines(Path.Combine("src", package, "PublicAPI.txt"))
            where NameOf(line) is { } name && !OfAkka.Contains(name) && !OfEveryType.Contains(name) && !(IsValue(line) ? settings : words).Contains(name)
            select line.Trim());
    }

    // A value of an enumeration has the name that it has in HOCON.
    private static bool IsValue(string line) => Value().IsMatch(line);

    // Extension methods are called without their class.
    private static string? NameOf(string line) =>
        line.Contains("override ", StringComparison.Ordinal) || line.Contains(".ctor(", StringComparison.Ordinal) || line.Contains(" operator ", StringComparison.Ordinal) ? null
        : Type().Match(line) is { Success: true } type ? type.Groups[1].Value is var name && name.EndsWith("Extensions", StringComparison.Ordinal) ? null : name
        : Member().Match(line) is { Success: true } member ? member.Groups[1].Value
        : null;

    [GeneratedRegex(@"\w+")]
    private static partial Regex Word();

    [GeneratedRegex(@"^\S.*?\b(?:class|record struct|struct|record|interface|enum|delegate) (?:[A-Za-z]\w*\.)*(\w+)")]
    private static partial Regex Type();

    [GeneratedRegex(@"^ +(?:(?:static|abstract|virtual|required|protected|const|readonly|event) )*(\w+)")]
    private static partial Regex Member();

    [GeneratedRegex(@"^ +\w+ = ")]
    private static partial Regex Value();
}
