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
