using System.Globalization;

namespace Throttled.Testing;

/// <summary>The share of its full size at which a long test runs.</summary>
public static class LongShare
{
    private static readonly double Share =
        double.TryParse(Environment.GetEnvironmentVariable("THROTTLED_LONG_SHARE"), CultureInfo.InvariantCulture, out var share)
        && share is > 0 and <= 1
            ? share
            : 1;

    /// <summary>Whether it is all of it.</summary>
    public static bool IsWhole => Share >= 1;

    public static int Of(int whole) => Math.Max(1, (int)(whole * Share));
}
