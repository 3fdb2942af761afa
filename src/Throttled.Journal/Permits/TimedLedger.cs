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
    private TokenClock? _tokens = tokens;

    /// <summary>When to call <see cref="Refill"/> next; null if no slot waits for a token.</summary>
    internal TimeSpan? Wait => _tokens is not null && ledger.WantsToken ? _tokens.Interval : null;

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

    /// <summary>Replaces the clock of the tokens; null for no limit of the rate.</summary>
    internal void SetTokens(TokenClock? tokens, TimeSpan now)
    {
        Refill(now);
        _tokens = tokens;
        Grant(ledger.SetBurst(tokens?.Burst ?? 0));
        GrantWithin(ledger.Limit);
    }

    internal void Refill(TimeSpan now)
    {
        for (var due = _tokens?.Due(now) ?? 0; due > 0; due--)
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

/// <summary>When tokens are due. A timer fires at most every millisecond, and only while something waits; then all tokens that are due are added.</summary>
/// <param name="perSecond">Tokens per second, above 0.</param>
/// <param name="burst">The capacity of the bucket; tokens above it are lost.</param>
/// <param name="start">When the bucket is full for the first time.</param>
internal sealed class TokenClock(int perSecond, int burst, TimeSpan start)
{
    private TimeSpan _filledUntil = start;

    internal int Burst => burst;

    internal TimeSpan Interval { get; } = TimeSpan.FromSeconds(1.0 / perSecond);

    /// <returns>The clock for the options; null if they set no rate.</returns>
    internal static TokenClock? Of(JournalOptions options, TimeSpan start) => Of(options.MaxQueriesPerSecond, options.Burst, start);

    /// <returns>The clock for a rate; null if it is 0, which is no limit.</returns>
    internal static TokenClock? Of(int perSecond, int burst, TimeSpan start) => perSecond == 0 ? null : new(perSecond, burst, start);

    /// <summary>The number of tokens that became due since the last call.</summary>
    internal long Due(TimeSpan now)
    {
        var due = Math.Max(0, (now - _filledUntil).Ticks / Interval.Ticks);
        _filledUntil += due * Interval;
        return Math.Min(due, burst);
    }
}
