using System.Diagnostics;
using System.Reflection;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Throttled.Testing;

namespace Throttled.Conventions;

/// <summary>The working copy from which these tests were built.</summary>
internal static partial class Repository
{
    private const string Solution = "Akka.Persistence.Query.Throttled.sln";

    /// <summary>The part of the solution that needs only packages of every package source.</summary>
    private const string Filter = "Throttled.slnf";

    internal static string Root => WorkingCopy.Root;

    /// <summary>The names of the projects in src, which are also the names of their assemblies.</summary>
    internal static IReadOnlyList<string> Packages { get; } =
    [
        .. Directory.EnumerateFiles(Path.Combine(Root, "src"), "*.csproj", SearchOption.AllDirectories)
            .Select(path => Path.GetFileNameWithoutExtension(path))
            .Order(StringComparer.Ordinal),
    ];

    /// <summary>The project files that the solution names, as paths from the root.</summary>
    internal static IReadOnlyList<string> Projects { get; } =
        [.. ProjectInSolution().Matches(File.ReadAllText(Path.Combine(Root, Solution))).Select(match => match.Value.Replace('\\', '/'))];

    /// <summary>The project files that the solution filter names.</summary>
    internal static IReadOnlyList<string> FilteredProjects { get; } = ProjectsOf(Filter);

    internal static IReadOnlyList<string> ProjectsOf(string filter) =>
    [
        .. JsonNode.Parse(File.ReadAllText(Path.Combine(Root, filter)))!["solution"]!["projects"]!.AsArray()
            .Select(each => each!.GetValue<string>().Replace('\\', '/')),
    ];

    internal static Assembly AssemblyOf(string package) => Assembly.Load(new AssemblyName(package));

    internal static string ProjectFileOf(string package) => Path.Combine(FolderOf(package), package + ".csproj");

    internal static string FolderOf(string package) => Path.Combine(Root, "src", package);

    /// <summary>The C# files of src and tests without generated files, as paths from the root.</summary>
    internal static IEnumerable<string> Sources() =>
        from part in new[] { "src", "tests" }
        from path in Directory.EnumerateFiles(Path.Combine(Root, part), "*.cs", SearchOption.AllDirectories)
        let local = Path.GetRelativePath(Root, path).Replace('\\', '/')
        where !local.Contains("/obj/", StringComparison.Ordinal) && !local.Contains("/bin/", StringComparison.Ordinal)
        orderby local
        select local;

    /// <summary>The files under version control in the working copy, as paths from the root.</summary>
    internal static IEnumerable<string> TrackedFiles() =>
        Git("-c", "safe.directory=*", "ls-files", "-z")
            .Split('\0', StringSplitOptions.RemoveEmptyEntries)
            .Where(local => File.Exists(Path.Combine(Root, local)));

    internal static string[] Lines(string local) => File.ReadAllLines(Path.Combine(Root, local));

    private static string Git(params string[] arguments)
    {
        var start = new ProcessStartInfo("git", arguments) { WorkingDirectory = Root, RedirectStandardOutput = true };
        using var git = Process.Start(start) ?? throw new InvalidOperationException("git did not start.");
        var output = git.StandardOutput.ReadToEnd();
        git.WaitForExit();
        return git.ExitCode == 0 ? output : throw new InvalidOperationException($"git ended with {git.ExitCode}.");
    }

    [GeneratedRegex(@"(?<="")[^""]+\.csproj(?="")")]
    private static partial Regex ProjectInSolution();
}
