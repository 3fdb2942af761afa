using Throttled.Journal.Rows;

namespace Throttled.Journal.Ordering;

/// <summary>
/// Whether all that was open at the first poll of the journal has ended. Until then an ordering below the highest one may still
/// be committed that nobody, having never polled it, knows to be missing. Plain logic; no clock of its own.
/// </summary>
/// <param name="start">What the first poll found.</param>
/// <param name="now">When it was made.</param>
/// <param name="policy">How long to wait.</param>
internal sealed class StartupBarrier(TailStart start, TimeSpan now, GapPolicy policy)
{
    private OpenTransactions? _openTransactions = start.OpenTransactions is null ? null : new(start.OpenTransactions);

    private bool _isToCollect;

    // Since when no poll knew the open transactions; null where the last one did.
    private TimeSpan? _unknownSince = start.OpenTransactions is null ? now : null;

    /// <summary>
    /// The highest ordering at the first poll. Once the start has settled nothing can be committed at or below it; of what came above,
    /// gaps may still be open.
    /// </summary>
    internal long Position => start.Last?.Ordering ?? 0;

    internal TimeSpan Since => now;

    internal bool IsSettled { get; private set; } = start.OpenTransactions is { Count: 0 } && policy.LeastAge == TimeSpan.Zero;

    /// <summary>Whether that wait was skipped, though somebody is still open.</summary>
    internal bool IsSkipped { get; private set; }

    /// <summary>Whether it cannot have settled yet, whoever has ended: that takes time.</summary>
    internal bool IsTooYoung(TimeSpan at) => !IsSettled && (_unknownSince is { } since ? at - since < policy.Timeout : at - now < policy.LeastAge);

    /// <summary>Who was open then and still is; null where the database cannot tell.</summary>
    internal IReadOnlySet<string>? OpenTransactions => _openTransactions?.Open;

    /// <summary>It may be another server from now on: who is open is collected again.</summary>
    internal void CollectAgain() => _isToCollect = true;

    /// <summary>Takes in who is open now; null where the database cannot tell, and the time has to do.</summary>
    internal void Observe(IReadOnlySet<string>? openTransactions, TimeSpan at)
    {
        var isOld = at - now >= policy.Timeout;
        _unknownSince = openTransactions is null ? _unknownSince ?? at : null;
        // Who was open at the start and still is, is among those who are open now.
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
