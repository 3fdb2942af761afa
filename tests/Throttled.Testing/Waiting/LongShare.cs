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

    /// <summary>Whether long tests run at their full size.</summary>
    public static bool IsWhole => Share >= 1;

    /// <summary>All cases if tests run at their full size, or if the environment asks for all; otherwise a few random ones.</summary>
    public static IEnumerable<T> Some<T>(IEnumerable<T> cases, int few) =>
        IsWhole || Environment.GetEnvironmentVariable("THROTTLED_ALL_CASES") == "true" ? cases : cases.OrderBy(_ => Random.Shared.Next()).Take(few);

    public static int Of(int whole) => Math.Max(1, (int)(whole * Share));
}
