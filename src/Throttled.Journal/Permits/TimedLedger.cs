namespace Throttled.Journal.Permits;

/// <summary>
/// A ledger with a clock. Before each operation, all tokens that are due are added to the bucket. Otherwise the tokens of a pause would refill the
/// bucket after the grant. The caller provides the time and a timer for <see cref="Wait"/>.
/// </summary>
/// <param name="ledger">The ledger.</param>
/// <param name="tokens">When tokens are due; null if the rate is not limited.</param>
/// <param name="grant">Called with each slot that is granted.</param>
internal sealed class TimedLedger(PermitLedger ledger, TokenClock? tokens, Action<StatementSlot> grant)
{
    /// <summary>When to call <see cref="Refill"/> next; null if no slot waits for a token.</summary>
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
        // A lower limit applies before the due tokens are added, so they grant no slot above it. A higher limit applies after them; otherwise a pause
        // would count twice.
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

/// <summary>
/// When tokens are due. A timer fires at most every millisecond, and not at all while nothing waits. All tokens that are due are then added at once.
/// </summary>
/// <param name="perSecond">Tokens per second, above 0.</param>
/// <param name="burst">The capacity of the bucket; tokens above it are lost.</param>
/// <param name="start">When the bucket is full for the first time.</param>
internal sealed class TokenClock(int perSecond, int burst, TimeSpan start)
{
    private TimeSpan _filledUntil = start;

    internal TimeSpan Interval { get; } = TimeSpan.FromSeconds(1.0 / perSecond);

    /// <returns>The clock for the options; null if they set no rate.</returns>
    internal static TokenClock? Of(JournalOptions options, TimeSpan start) =>
        options.MaxQueriesPerSecond == 0 ? null : new(options.MaxQueriesPerSecond, options.Burst, start);

    /// <summary>The number of tokens that became due since the last call.</summary>
    internal long Due(TimeSpan now)
    {
        var due = Math.Max(0, (now - _filledUntil).Ticks / Interval.Ticks);
        _filledUntil += due * Interval;
        return Math.Min(due, burst);
    }
}
