using Throttled.Journal.Rows;

namespace Throttled.Journal.Ordering;

/// <summary>
/// Waits until all transactions that were open at the first poll of the journal have ended. Until then, they may commit orderings below the highest
/// one seen. No poll can know these gaps, because there was no earlier poll. Contains no clock and no I/O.
/// </summary>
internal sealed class StartupBarrier(TailStart start, TimeSpan now, GapPolicy policy)
{
    private OpenTransactions? _openTransactions = start.OpenTransactions is null ? null : new(start.OpenTransactions);

    private bool _isToCollect;

    // When polls began to get no open transactions from the database; null if the last poll got them.
    private TimeSpan? _unknownSince = start.OpenTransactions is null ? now : null;

    /// <summary>The highest ordering at the first poll. Once settled, nothing can be committed at or below it. Gaps above it may still be open.</summary>
    internal long Position => start.Last?.Ordering ?? 0;

    internal TimeSpan Since => now;

    internal bool IsSettled { get; private set; } = start.OpenTransactions is { Count: 0 } && policy.LeastAge == TimeSpan.Zero;

    /// <summary>Whether the wait was skipped although a transaction is still open.</summary>
    internal bool IsSkipped { get; private set; }

    /// <summary>Whether the barrier has not reached its least age, so it cannot be settled yet.</summary>
    internal bool IsTooYoung(TimeSpan at) => !IsSettled && (_unknownSince is { } since ? at - since < policy.Timeout : at - now < policy.LeastAge);

    /// <summary>The transactions that were open at the first poll and still are; null if the database does not report them.</summary>
    internal IReadOnlySet<string>? OpenTransactions => _openTransactions?.Open;

    /// <summary>Another server may answer from now on: the open transactions are read again.</summary>
    internal void CollectAgain() => _isToCollect = true;

    /// <summary>Takes in the open transactions; null if the database does not report them, so the time-out decides.</summary>
    internal void Observe(IReadOnlySet<string>? openTransactions, TimeSpan at)
    {
        var isOld = at - now >= policy.Timeout;
        _unknownSince = openTransactions is null ? _unknownSince ?? at : null;
        // A transaction that was open at the start and still is, is among those that are open now.
        if (_isToCollect || _openTransactions is null)
        {
            _openTransactions = openTransactions is null ? null : new(openTransactions);
            _isToCollect = false;
        }
        if (openTransactions is not null && _openTransactions is not null)
        {
            IsSettled |= _openTransactions.EndedBy(openTransactions) && at - now >= policy.LeastAge;
            IsSkipped = !IsSettled && policy.SkipsOnTimeout && isOld;
        }
        else
            IsSettled |= at - _unknownSince >= policy.Timeout;
    }
}
