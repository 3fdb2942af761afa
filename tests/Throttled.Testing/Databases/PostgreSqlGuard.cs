using System.Diagnostics;

namespace Throttled.Testing;

/// <summary>
/// Outlives this process, however it ends, to stop the server and remove its directory: a shell that reads from a pipe of
/// ours until that is closed. Test hosts are killed soon after their last test, so that a handler here would come too late.
/// </summary>
internal sealed class PostgreSqlGuard : IDisposable
{
    // Ctrl-C goes to all of the terminal's processes; the guard has to stay for what comes after it.
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
    /// <param name="control">How to call pg_ctl.</param>
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

    /// <summary>Lets it do its work, and waits for that.</summary>
    public void Dispose()
    {
        _shell.StandardInput.Close();
        _shell.WaitForExit();
        _shell.Dispose();
    }
}
