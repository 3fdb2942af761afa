using System.Globalization;
using DigitalTwins.Nodes;

namespace DigitalTwins.Load;

/// <summary>Seconds of processor time so far.</summary>
/// <param name="Generator">Of this process.</param>
/// <param name="Nodes">Of the nodes.</param>
/// <param name="Machine">Of all processes of the machine; null if the system does not say.</param>
internal sealed record ProcessorUse(double Generator, double Nodes, double? Machine)
{
    // The unit of the times in /proc: USER_HZ, https://man7.org/linux/man-pages/man5/proc_stat.5.html
    private const double TicksPerSecond = 100;

    private const string Stat = "/proc/stat";

    public static ProcessorUse operator -(ProcessorUse left, ProcessorUse right) =>
        new(left.Generator - right.Generator, left.Nodes - right.Nodes, left.Machine - right.Machine);

    internal static ProcessorUse Read(TwinNodes nodes) => new(
        Environment.CpuUsage.TotalTime.TotalSeconds, nodes.ProcessorTime.TotalSeconds, OperatingSystem.IsLinux() && File.Exists(Stat) ? Busy(File.ReadLines(Stat).First()) : null);

    /// <summary>The busy time in the first line of <c>/proc/stat</c>: user, nice, system, and after idle and iowait, irq, softirq, steal.</summary>
    internal static double Busy(string line)
    {
        long[] ticks = [.. line.Split(' ', StringSplitOptions.RemoveEmptyEntries).Skip(1).Take(8).Select(number => long.Parse(number, CultureInfo.InvariantCulture))];
        return (ticks.Sum() - ticks[3] - ticks[4]) / TicksPerSecond;
    }
}
