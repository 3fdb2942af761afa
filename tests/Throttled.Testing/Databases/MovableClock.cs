namespace Throttled.Testing;

/// <summary>
/// The clock of a program, which jumps as this one is told: Debian's package faketime stands between the program and the operating system's.
/// https://github.com/wolfcw/libfaketime
/// </summary>
internal sealed class MovableClock
{
    private readonly string _file;

    /// <param name="file">What the program reads its clock's offset from.</param>
    internal MovableClock(string file)
    {
        _file = file;
        Move(TimeSpan.Zero);
    }

    /// <summary>What the program is started with.</summary>
    internal string[] Environment =>
        [$"LD_PRELOAD={Library()}", $"FAKETIME_TIMESTAMP_FILE={_file}", "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1"];

    internal void Move(TimeSpan offset)
    {
        // The program may look at any moment.
        var next = _file + ".next";
        File.WriteAllText(next, FormattableString.Invariant($"{offset.TotalSeconds:+0;-0;+0}\n"));
        File.Move(next, _file, overwrite: true);
    }

    private static string Library() =>
        Directory.GetDirectories("/usr/lib", "*-linux-*").Select(directory => Path.Combine(directory, "faketime", "libfaketime.so.1")).FirstOrDefault(File.Exists)
        ?? throw new InvalidOperationException("Debian's package faketime is not installed.");
}
