using System.Text.RegularExpressions;

namespace Throttled.Conventions.Floors;

/// <summary>The floors of a package, top first, as listed in <c>docs/architecture.md</c>, and the folder of each type.</summary>
internal sealed partial class FloorPlan
{
    /// <summary>The name of the floor with the files beside the project file.</summary>
    internal const string Top = "(root)";

    private readonly Dictionary<string, string> _files = new(StringComparer.Ordinal);

    private FloorPlan(string package, IReadOnlyList<string> floors)
    {
        (Package, Floors) = (package, floors);
        foreach (var file in Repository.Sources().Where(file => file.StartsWith($"src/{package}/", StringComparison.Ordinal)))
        {
            foreach (var name in Repository.Lines(file).Select(line => Declaration().Match(line)).Where(match => match.Success).Select(match => match.Groups[1].Value))
                _files.TryAdd(name, file);
        }
    }

    internal string Package { get; }

    internal IReadOnlyList<string> Floors { get; }

    internal IEnumerable<string> Files => _files.Values.Distinct();

    /// <summary>The plans of all packages with floors.</summary>
    internal static IReadOnlyList<FloorPlan> All { get; } =
    [
        .. Block().Matches(string.Join('\n', Repository.Lines("docs/architecture.md")))
            .Select(match => new FloorPlan(match.Groups[1].Value, match.Groups[2].Value.Split('\n', StringSplitOptions.RemoveEmptyEntries))),
    ];

    /// <summary>The plan of any package; without floors if the page has none.</summary>
    internal static FloorPlan Of(string package) => All.FirstOrDefault(plan => plan.Package == package) ?? new(package, []);

    /// <summary>The file of a type; null for a type that the compiler made.</summary>
    internal string? FileOf(Type type) => _files.GetValueOrDefault(type.Name.Split('`')[0]);

    internal string FolderOf(string file) => file[$"src/{Package}/".Length..].Split('/') is [var folder, _, ..] ? folder : Top;

    /// <summary>0 for the top floor.</summary>
    internal int HeightOf(string file) => Floors.ToList().IndexOf(FolderOf(file));

    public override string ToString() => Package;

    [GeneratedRegex(@"^```floors (\S+)\n(.*?)```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Block();

    [GeneratedRegex(@"^(?:(?:public|internal|file|abstract|sealed|static|partial|readonly) )*(?:class|struct|interface|enum|record(?: struct)?|delegate \S+) (\w+)")]
    private static partial Regex Declaration();
}
