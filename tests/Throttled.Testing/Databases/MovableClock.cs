namespace Throttled.Testing;

/// <summary>
/// Moves the clock of a program, with Debian's package faketime: its library answers the program's calls for the time instead
/// of the operating system. https://github.com/wolfcw/libfaketime
/// </summary>
internal sealed class MovableClock
{
    private readonly string _file;

    /// <param name="file">The file from which the program reads its clock's offset.</param>
    internal MovableClock(string file)
    {
        _file = file;
        Move(TimeSpan.Zero);
    }

    /// <summary>The environment variables for the program.</summary>
    internal string[] Environment =>
        [$"LD_PRELOAD={Library()}", $"FAKETIME_TIMESTAMP_FILE={_file}", "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1"];

    internal void Move(TimeSpan offset)
    {
        // Replace the file as a whole, because the program may read it at any time.
        var next = _file + ".next";
        File.WriteAllText(next, FormattableString.Invariant($"{offset.TotalSeconds:+0;-0;+0}\n"));
        File.Move(next, _file, overwrite: true);
    }

    private static string Library() =>
        Directory.GetDirectories("/usr/lib", "*-linux-*").Select(directory => Path.Combine(directory, "faketime", "libfaketime.so.1")).FirstOrDefault(File.Exists)
        ?? throw new InvalidOperationException("Debian's package faketime is not installed.");
}
