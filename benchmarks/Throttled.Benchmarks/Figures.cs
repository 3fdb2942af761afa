using System.Globalization;
using CrushTest.Settings;

namespace Throttled.Benchmarks;

/// <summary>Functions for numbers that all measurements use.</summary>
internal static class Figures
{
    internal static double Median(IEnumerable<double> values)
    {
        double[] ordered = [.. values.Order()];
        return ordered[ordered.Length / 2];
    }

    internal static double Percentile(double[] ordered, double share) => ordered[Math.Max(0, (int)Math.Ceiling(share * ordered.Length) - 1)];

    /// <summary>A number from the command line.</summary>
    /// <exception cref="CrushException">The argument is not a number above 0.</exception>
    internal static int Argument(string[] arguments, int place, int standard)
    {
        if (place >= arguments.Length)
            return standard;
        return int.TryParse(arguments[place], NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number > 0
            ? number
            : throw new CrushException($"'{arguments[place]}' must be a whole number above 0. Leave it out for {standard:N0}.");
    }
}
