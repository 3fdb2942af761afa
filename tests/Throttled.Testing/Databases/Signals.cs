using System.Diagnostics;
using static System.FormattableString;

namespace Throttled.Testing;

/// <summary>Signals to processes of this machine.</summary>
public static class Signals
{
    /// <param name="signal">Its name, such as STOP or CONT.</param>
    /// <param name="processes">The ids of the processes.</param>
    /// <returns>Whether all processes were there.</returns>
    public static bool Send(string signal, params int[] processes)
    {
        if (processes.Length == 0)
            return true;
        using var kill = Process.Start("kill", ["-s", signal, .. processes.Select(process => Invariant($"{process}"))]);
        kill.WaitForExit();
        return kill.ExitCode == 0;
    }
}
