namespace Throttled.Journal.Permits;

/// <summary>When tokens come due. A timer rings every millisecond at best, and not at all while nobody waits: all that came due come at once.</summary>
/// <param name="perSecond">Tokens a second, above 0.</param>
/// <param name="burst">How many tokens the bucket holds: more are not counted.</param>
/// <param name="start">The time at which the bucket is full.</param>
internal sealed class TokenClock(int perSecond, int burst, TimeSpan start)
{
    private TimeSpan _filledUntil = start;

    internal TimeSpan Interval { get; } = TimeSpan.FromSeconds(1.0 / perSecond);

    /// <returns>The clock of a journal's options; null where they set no rate.</returns>
    internal static TokenClock? Of(JournalOptions options, TimeSpan start) =>
        options.MaxQueriesPerSecond == 0 ? null : new(options.MaxQueriesPerSecond, options.Burst, start);

    /// <summary>How many tokens came due since the last time.</summary>
    internal long Due(TimeSpan now)
    {
        var due = Math.Max(0, (now - _filledUntil).Ticks / Interval.Ticks);
        _filledUntil += due * Interval;
        return Math.Min(due, burst);
    }
}
