using System.Diagnostics;
using System.Reflection;
using System.Text.Json.Nodes;

namespace Throttled.Conventions;

/// <summary>The working copy that these tests were built from.</summary>
internal static class Repository
{
    private const string Solution = "Akka.Persistence.Query.Throttled.sln";

    /// <summary>The part of the solution that needs nothing of Akka's, and no driver of SQL Server.</summary>
    private const string Filter = "Throttled.slnf";

    internal static string Root { get; } = FindRoot();

    /// <summary>The names of the projects in src, which are also the names of their assemblies.</summary>
    internal static IReadOnlyList<string> AllPackages { get; } =
    [
        .. Directory.EnumerateFiles(Path.Combine(Root, "src"), "*.csproj", SearchOption.AllDirectories)
            .Select(path => Path.GetFileNameWithoutExtension(path))
            .Order(StringComparer.Ordinal),
    ];

    /// <summary>Those that these tests were built to look at: what the filter leaves out has a test project of its own.</summary>
    internal static IReadOnlyList<string> Packages { get; } =
        [.. AllPackages.Where(package => LooksBeyondTheFilter != IsNamedIn(Filter, package))];

    /// <summary>The project files that the filter names, as whole paths.</summary>
    internal static IReadOnlySet<string> FilteredProjects { get; } = JsonNode.Parse(File.ReadAllText(Path.Combine(Root, Filter)))!["solution"]!["projects"]!
        .AsArray().Select(each => Path.GetFullPath(Path.Combine(Root, each!.GetValue<string>().Replace('\\', '/')))).ToHashSet();

    private static bool LooksBeyondTheFilter => Assembly.GetExecutingAssembly().GetName().Name!.StartsWith("Akka.", StringComparison.Ordinal);

    internal static Assembly AssemblyOf(string package) => Assembly.Load(new AssemblyName(package));

    internal static string ProjectFileOf(string package) => Path.Combine(FolderOf(package), package + ".csproj");

    internal static string FolderOf(string package) => Path.Combine(Root, "src", package);

    /// <summary>The C# files of src and tests, generated ones left out, as paths from the root.</summary>
    internal static IEnumerable<string> Sources() =>
        from part in new[] { "src", "tests" }
        from path in Directory.EnumerateFiles(Path.Combine(Root, part), "*.cs", SearchOption.AllDirectories)
        let local = Path.GetRelativePath(Root, path).Replace('\\', '/')
        where !local.Contains("/obj/", StringComparison.Ordinal) && !local.Contains("/bin/", StringComparison.Ordinal)
        orderby local
        select local;

    /// <summary>The files under version control that stand in the working copy, as paths from the root.</summary>
    internal static IEnumerable<string> TrackedFiles() =>
        Git("-c", "safe.directory=*", "ls-files", "-z")
            .Split('\0', StringSplitOptions.RemoveEmptyEntries)
            .Where(local => File.Exists(Path.Combine(Root, local)));

    internal static string[] Lines(string local) => File.ReadAllLines(Path.Combine(Root, local));

    private static bool IsNamedIn(string file, string project) =>
        File.ReadAllText(Path.Combine(Root, file)).Contains(project + ".csproj", StringComparison.Ordinal);

    private static string Git(params string[] arguments)
    {
        var start = new ProcessStartInfo("git", arguments) { WorkingDirectory = Root, RedirectStandardOutput = true };
        using var git = Process.Start(start) ?? throw new InvalidOperationException("git did not start.");
        var output = git.StandardOutput.ReadToEnd();
        git.WaitForExit();
        return git.ExitCode == 0 ? output : throw new InvalidOperationException($"git ended with {git.ExitCode}.");
    }

    private static string FindRoot()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, Solution)))
            folder = folder.Parent;
        return folder?.FullName ?? throw new InvalidOperationException($"No folder above the tests holds {Solution}.");
    }
}
