namespace Throttled.Journal.Permits;

/// <summary>
/// A ledger that goes by the clock: tokens that came due are put into the bucket before anything else is done, or those of a pause would
/// fill it again behind what it grants. Its shell brings the time, and a timer for <see cref="Wait"/>.
/// </summary>
/// <param name="ledger">The ledger.</param>
/// <param name="tokens">When tokens come due; null where statements have no rate.</param>
/// <param name="grant">Called with each grant.</param>
internal sealed class TimedLedger(PermitLedger ledger, TokenClock? tokens, Action<StatementSlot> grant)
{
    /// <summary>After how long to <see cref="Refill"/>; null where nobody waits for a token.</summary>
    internal TimeSpan? Wait => tokens is not null && ledger.WantsToken ? tokens.Interval : null;

    internal void Request(StatementSlot slot, TimeSpan now)
    {
        Refill(now);
        Grant(ledger.Request(slot));
    }

    internal void Return(StatementSlot slot, TimeSpan now)
    {
        Refill(now);
        Grant(ledger.Return(slot));
    }

    internal void SetLimit(int limit, TimeSpan now)
    {
        // Fewer are fewer before the tokens that are due let somebody in; more are more behind them, or a pause would count twice.
        GrantWithin(Math.Min(limit, ledger.Limit));
        Refill(now);
        GrantWithin(limit);
    }

    internal void Refill(TimeSpan now)
    {
        for (var due = tokens?.Due(now) ?? 0; due > 0; due--)
            Grant(ledger.AddToken());
    }

    private void GrantWithin(int limit)
    {
        while (ledger.SetLimit(limit) is { } slot)
            grant(slot);
    }

    private void Grant(StatementSlot? slot)
    {
        if (slot is not null)
            grant(slot);
    }
}

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
