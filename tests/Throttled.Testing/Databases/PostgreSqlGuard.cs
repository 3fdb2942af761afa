using System.Diagnostics;

namespace Throttled.Testing;

/// <summary>
/// Stops the server and removes its directory after this process has ended, however it ends. The guard is a shell that reads
/// from a pipe of this process until the pipe is closed. Test hosts are killed soon after their last test, so a handler in this
/// process would run too late.
/// </summary>
internal sealed class PostgreSqlGuard : IDisposable
{
    // Ctrl-C goes to all processes of the terminal. The guard ignores it, because it must do its work after that.
    private const string Script =
        """
        exec >/dev/null 2>&1; trap '' INT TERM HUP; read -r _
        directory=$1; shift
        "$@" stop --mode=immediate --pgdata="$directory/data"
        rm -rf "$directory"
        """;

    private readonly Process _shell;

    private PostgreSqlGuard(Process shell) => _shell = shell;

    /// <param name="directory">The server's directory.</param>
    /// <param name="control">The command line of pg_ctl.</param>
    /// <returns>The guard; null on Windows, which has no such shell.</returns>
    internal static PostgreSqlGuard? Of(string directory, IEnumerable<string> control)
    {
        if (OperatingSystem.IsWindows())
            return null;
        var start = new ProcessStartInfo("/bin/sh", ["-c", Script, "guard", directory, .. control])
        {
            RedirectStandardInput = true,
            WorkingDirectory = Path.GetTempPath(),
        };
        return new(Process.Start(start)!);
    }

    /// <summary>Lets the guard do its work, and waits for its end.</summary>
    public void Dispose()
    {
        _shell.StandardInput.Close();
        _shell.WaitForExit();
        _shell.Dispose();
    }
}
