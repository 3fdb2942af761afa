using System.Runtime.InteropServices;

namespace Throttled.Tool.Tail;

/// <summary>
/// Detects that the reader of standard output has closed the pipe, even while there is nothing to write. For example,
/// <c>| head</c> has ended, and the shell waits for this process. Not possible on Windows.
/// </summary>
internal static class ClosedPipe
{
    private const int Interrupted = 4;

    internal static bool IsClosed() => IsPossible && Poll(0) > 0;

    /// <summary>Calls <paramref name="closed"/> on a separate thread when the pipe has been closed.</summary>
    internal static void Watch(Action closed)
    {
        if (IsPossible)
            new Thread(() => Wait(closed)) { IsBackground = true, Name = nameof(ClosedPipe) }.Start();
    }

    private static bool IsPossible => !OperatingSystem.IsWindows() && Console.IsOutputRedirected;

    private static void Wait(Action closed)
    {
        var found = Poll(-1);
        while (found < 0 && Marshal.GetLastPInvokeError() == Interrupted)
            found = Poll(-1);
        if (found > 0)
            closed();
    }

    // With no requested event, poll reports errors and hang-ups only: https://man7.org/linux/man-pages/man2/poll.2.html
    private static int Poll(int timeout)
    {
        var stdout = new PollDescriptor { Descriptor = 1 };
        return Poll(ref stdout, 1, timeout);
    }

    [DllImport("libc", EntryPoint = "poll", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Poll(ref PollDescriptor descriptors, nuint count, int timeout);

    [StructLayout(LayoutKind.Sequential)]
    private struct PollDescriptor
    {
        public int Descriptor;
        public short Events;
        public short Returned;
    }
}
