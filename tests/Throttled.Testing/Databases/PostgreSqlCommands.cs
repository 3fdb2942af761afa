using System.Diagnostics;

namespace Throttled.Testing;

/// <summary>The location of PostgreSQL's programs.</summary>
/// <param name="Directory">Their directory; empty if they are on the path.</param>
/// <param name="Prefix">The command that runs a program in a container; empty on this machine.</param>
internal sealed record PostgreSqlBinaries(string Directory, params IReadOnlyList<string> Prefix)
{
    /// <summary>The programs of the image that the environment names, otherwise of the newest server on this machine; null if there is none.</summary>
    internal static PostgreSqlBinaries? Find() => Containers.Named(Containers.PostgreSqlImage) is not null
        ? new("", "docker", "exec", "--env", "PGPASSWORD", Containers.PostgreSqlContainer)
        : PostgreSqlCommands.FindDirectory() is { } directory ? new(directory) : null;
}

/// <summary>
/// Runs PostgreSQL's own programs. If this process runs as root, the server's programs run as the user postgres, because they
/// refuse root.
/// </summary>
internal sealed class PostgreSqlCommands(PostgreSqlBinaries binaries, string password)
{
    private const string Owner = "postgres";

    /// <summary>The user and group of this process.</summary>
    internal static string Self => $"{Execute("id", ["-u"]).Trim()}:{Execute("id", ["-g"]).Trim()}";

    internal static bool IsRoot => !OperatingSystem.IsWindows() && Environment.IsPrivilegedProcess;

    /// <summary>The directory of the newest server on this machine; null if there is none.</summary>
    internal static string? FindDirectory() => Candidates().FirstOrDefault(HasServer);

    internal void Run(string program, params string[] arguments) => Execute([.. binaries.Prefix, Of(program), .. arguments]);

    /// <summary>Runs a program that must run as the owner of the data.</summary>
    internal void RunAsOwner(string program, params string[] arguments) => RunAsOwner([], program, arguments);

    /// <param name="environment">Environment variables for the program, as <c>NAME=value</c>.</param>
    internal void RunAsOwner(IReadOnlyList<string> environment, string program, params string[] arguments) =>
        Execute([.. AsOwner("env")[..^1], .. environment.Count == 0 ? [] : (string[])["env", .. environment], Of(program), .. arguments]);

    /// <summary>The command line that runs a program as the owner of the data.</summary>
    internal string[] AsOwner(string program) =>
        [.. binaries.Prefix, .. IsRoot ? ["runuser", "-u", Owner, "--", Of(program)] : (string[])[Of(program)]];

    /// <summary>Makes the server's user the owner of a directory and its content.</summary>
    internal void Own(string directory)
    {
        if (IsRoot)
            Execute([.. binaries.Prefix, "chown", "-R", Owner, directory]);
    }

    private static IEnumerable<string> Candidates()
    {
        // Debian has directories for servers of several versions, and none of them is on the path.
        const string debian = "/usr/lib/postgresql";
        if (Directory.Exists(debian))
        {
            var versions = Directory.GetDirectories(debian).OrderByDescending(
                directory => int.TryParse(Path.GetFileName(directory), out var version) ? version : 0);
            foreach (var version in versions)
                yield return Path.Combine(version, "bin");
        }

        foreach (var directory in (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator))
        {
            if (File.Exists(Path.Combine(directory, "pg_config")) || File.Exists(Path.Combine(directory, "pg_config.exe")))
                yield return Execute(Path.Combine(directory, "pg_config"), ["--bindir"]).Trim();
        }
    }

    private static bool HasServer(string directory) =>
        File.Exists(Path.Combine(directory, "initdb")) || File.Exists(Path.Combine(directory, "initdb.exe"));

    private string Of(string program) => Path.Combine(binaries.Directory, program);

    private void Execute(string[] command) => Execute(command[0], command[1..], password);

    private static string Execute(string program, string[] arguments, string password = "")
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = Path.GetTempPath(),
        };
        start.Environment["PGPASSWORD"] = password;
        using var process = Process.Start(start)!;
        var error = process.StandardError.ReadToEndAsync();
        var output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0
            ? output
            : throw new InvalidOperationException($"{Path.GetFileName(program)} failed: {error.Result}{output}");
    }
}
