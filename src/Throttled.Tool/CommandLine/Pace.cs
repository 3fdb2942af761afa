using System.Diagnostics;

namespace BankAccounts.Show;

/// <summary>How fast something comes on: over the last ten looks, because the next seconds are more like those than like the whole.</summary>
internal sealed class Pace
{
    private const int Looks = 10;

    private readonly Queue<(long At, long Done)> _looks = [];

    /// <returns>Events per second; 0 where it does not come on.</returns>
    internal double Look(long done)
    {
        var now = Stopwatch.GetTimestamp();
        _looks.Enqueue((now, done));
        if (_looks.Count > Looks)
            _looks.Dequeue();
        var (at, before) = _looks.Peek();
        var seconds = Stopwatch.GetElapsedTime(at, now).TotalSeconds;
        return seconds > 0 ? Math.Max(0, (done - before) / seconds) : 0;
    }

    /// <summary>Position, head, speed and time left, in words.</summary>
    /// <param name="done">The position.</param>
    /// <param name="all">The head; null where it is not known.</param>
    /// <param name="rate">Events per second.</param>
    internal static string Text(long done, long? all, double rate)
    {
        var left = done < all && rate > 0 ? $", {TimeLeft((all.Value - done) / rate)} left" : "";
        return $"{done:N0} of {(all is { } head ? $"{head:N0}" : "?")}, {rate:N0} events/s{left}";
    }

    private static string TimeLeft(double seconds) => seconds switch
    {
        < 100 => $"{seconds:N0} s",
        < 6_000 => $"{seconds / 60:N0} min",
        _ => $"{seconds / 3600:N1} h",
    };
}
