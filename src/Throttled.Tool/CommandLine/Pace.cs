namespace Throttled.Tool.CommandLine;

/// <summary>The progress of a projection in words.</summary>
internal static class Pace
{
    /// <summary>Offset, journal end (null if it is not known), events per second and time left.</summary>
    internal static string Text(long done, long? all, double rate)
    {
        var left = done < all && rate > 0 ? $", {TimeLeft((all.Value - done) / rate)} left" : "";
        return $"{done:N0} of {(all is { } end ? $"{end:N0}" : "?")}, {rate:N0} events/s{left}";
    }

    internal static string TimeLeft(double seconds) => seconds switch
    {
        < 100 => $"{seconds:N0} s",
        < 6_000 => $"{seconds / 60:N0} min",
        _ => $"{seconds / 3600:N1} h",
    };
}
