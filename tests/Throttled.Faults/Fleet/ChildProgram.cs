using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Throttled.Faults.Fleet;

/// <summary>
/// A server program of this machine, with its own directory and port. It ends with the tests in any case: a shell runs it and ends when the pipe
/// from the tests is closed.
/// </summary>
internal abstract class ChildProgram : IDisposable
{
    private const string Script =
        """
        trap '' INT TERM HUP
        log=$1; shift
        "$@" >>"$log" 2>&1 &
        child=$!
        read -r _
        kill -KILL $child 2>/dev/null
        wait $child 2>/dev/null
        """;

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-fleet-");
    private Process? _shell;

    protected ChildProgram()
    {
        Port = LoopbackPort.Choose();
        // A program that is started as root continues as another user.
        if (!OperatingSystem.IsWindows() && PostgreSqlCommands.IsRoot)
            File.SetUnixFileMode(_directory.FullName, File.GetUnixFileMode(_directory.FullName) | AnybodyMayRead);
    }

    /// <summary>The port on the loopback interface; a restart keeps it.</summary>
    internal int Port { get; }

    /// <summary>The user as which a program continues that was started as root; null if it was not.</summary>
    protected static string? User => PostgreSqlCommands.IsRoot ? "postgres" : null;

    private const UnixFileMode AnybodyMayRead =
        UnixFileMode.GroupRead | UnixFileMode.GroupExecute | UnixFileMode.OtherRead | UnixFileMode.OtherExecute;

    /// <summary>The path of a program; null if it is not installed.</summary>
    internal static string? Find(string program) =>
        new[] { "/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin" }.Select(each => Path.Combine(each, program)).FirstOrDefault(File.Exists);

    /// <summary>Starts the program and waits until it accepts connections.</summary>
    internal async Task StartAsync()
    {
        var start = new ProcessStartInfo("/bin/sh", ["-c", Script, "child", FileOf("log"), .. Command]) { RedirectStandardInput = true };
        _shell = Process.Start(start)!;
        await Wait.UntilAsync(AcceptsAsync, () => $"{Command[0]} that accepts connections; its log: {File.ReadAllText(FileOf("log"))}");
    }

    /// <summary>Kills the program. Only the operating system closes its connections.</summary>
    internal void Kill()
    {
        if (_shell is null)
            return;
        _shell.StandardInput.Close();
        _shell.WaitForExit();
        _shell.Dispose();
        _shell = null;
    }

    public void Dispose()
    {
        Kill();
        _directory.Delete(recursive: true);
    }

    /// <summary>The program and its arguments.</summary>
    protected abstract string[] Command { get; }

    protected string FileOf(string name) => Path.Combine(_directory.FullName, name);

    protected string Write(string name, params IEnumerable<string> lines)
    {
        File.WriteAllLines(FileOf(name), lines);
        return FileOf(name);
    }

    private async Task<bool> AcceptsAsync()
    {
        using var client = new TcpClient();
        try
        {
            await client.ConnectAsync(IPAddress.Loopback, Port);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}

/// <summary>A test that needs a PostgreSQL server and another program. It is skipped without them; on a build server (<c>CI=true</c>) it fails.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class FleetTheoryAttribute(string program) : TheoryAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = FleetSkip.Reason(program);
}

/// <inheritdoc cref="FleetTheoryAttribute"/>
[AttributeUsage(AttributeTargets.Method)]
public sealed class FleetFactAttribute(string program) : FactAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = FleetSkip.Reason(program);
}

internal static class FleetSkip
{
    internal static string? Reason(string program) => new PostgreSqlFactAttribute().Skip
        ?? (Environment.GetEnvironmentVariable("CI") == "true" || ChildProgram.Find(program) is not null ? null : $"{program} is not installed on this machine.");
}
