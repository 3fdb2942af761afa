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

    /// <summary>The numbers of the command line, in their order.</summary>
    /// <param name="known">The name of each number, with the value that it has if it is left out.</param>
    /// <exception cref="CrushException">An argument is not a number above 0, or there are too many.</exception>
    internal static int[] Arguments(string[] given, params (string Name, int Standard)[] known)
    {
        if (given.Length > known.Length)
            throw new CrushException(
                $"There is no argument for '{given[known.Length]}'; the arguments are {string.Join(' ', known.Select(each => $"[{each.Name}]"))}. Leave it out.");
        return [.. known.Select((each, place) => place < given.Length ? Number(given[place], each) : each.Standard)];
    }

    private static int Number(string given, (string Name, int Standard) argument) =>
        int.TryParse(given, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number > 0
            ? number
            : throw new CrushException(FormattableString.Invariant(
                $"[{argument.Name}] is '{given}'; it must be a whole number from 1 to {int.MaxValue:N0}. Leave it out for {argument.Standard:N0}."));
}
