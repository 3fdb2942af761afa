using System.Diagnostics;

namespace Throttled.Faults.Sqlite;

/// <summary>A file system of a few MB in memory, which can be filled and emptied.</summary>
internal sealed class TinyDisk : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-disk-");
    private readonly string _ballast;

    /// <exception cref="InvalidOperationException">The tests may not mount a file system on this machine.</exception>
    internal TinyDisk(int megabytes)
    {
        _ballast = Path.Combine(_directory.FullName, "ballast");
        if (Run("mount", "-t", "tmpfs", "-o", $"size={megabytes}m", "tmpfs", _directory.FullName))
            return;
        _directory.Delete();
        throw new InvalidOperationException("The tests may not mount a file system here.");
    }

    internal string Root => _directory.FullName;

    internal static string? WhyNot { get; } = Try();

    /// <summary>Writes a file until there is no room for another byte.</summary>
    internal void Fill()
    {
        using var file = new FileStream(_ballast, FileMode.Append, FileAccess.Write, FileShare.None, bufferSize: 0);
        for (var size = 1 << 16; size > 0;)
        {
            try
            {
                file.Write(new byte[size]);
            }
            catch (IOException)
            {
                size /= 2;
            }
        }
    }

    internal void Empty() => File.Delete(_ballast);

    public void Dispose()
    {
        // A lazy unmount, because a failed test may have left a file open.
        Run("umount", "-l", _directory.FullName);
        _directory.Delete();
    }

    private static string? Try()
    {
        try
        {
            new TinyDisk(1).Dispose();
            return null;
        }
        catch (Exception error) when (error is InvalidOperationException or System.ComponentModel.Win32Exception)
        {
            return "The tests may not mount a file system here; another test simulates a full disk with 'max_page_count'.";
        }
    }

    private static bool Run(string command, params string[] arguments)
    {
        using var process = Process.Start(new ProcessStartInfo(command, arguments) { RedirectStandardError = true })!;
        process.StandardError.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0;
    }
}

/// <summary>A test that needs its own disk; skipped, visibly, if nothing can be mounted.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class TinyDiskFactAttribute : FactAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = TinyDisk.WhyNot;
}
