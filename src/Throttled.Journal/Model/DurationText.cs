using System.Globalization;

namespace Throttled.Journal;

/// <summary>Formats a duration: <c>1 ms</c>, <c>30 s</c>, <c>1 h</c>.</summary>
internal static class DurationText
{
    private static readonly (TimeSpan Length, string Name)[] Units =
    [
        (TimeSpan.FromDays(1), "d"),
        (TimeSpan.FromHours(1), "h"),
        (TimeSpan.FromMinutes(1), "min"),
        (TimeSpan.FromSeconds(1), "s"),
    ];

    internal static string Of(TimeSpan duration)
    {
        if (duration == TimeSpan.Zero)
            return "0 s";
        foreach (var (length, name) in Units)
        {
            if (duration.Ticks % length.Ticks == 0)
                return string.Create(CultureInfo.InvariantCulture, $"{duration.Ticks / length.Ticks} {name}");
        }
        return string.Create(CultureInfo.InvariantCulture, $"{duration.TotalMilliseconds:0.####} ms");
    }
}
