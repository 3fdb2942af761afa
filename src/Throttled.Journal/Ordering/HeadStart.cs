using Throttled.Journal.Sql;

namespace Throttled.Journal.Ordering;

/// <summary>
/// Whether all that was open at the first poll of the journal has ended. Until then an ordering below the highest one may still
/// be committed that nobody, having never polled it, knows to be missing. Plain logic; no clock of its own.
/// </summary>
/// <param name="anchor">What the first poll found.</param>
/// <param name="now">When it was made.</param>
/// <param name="patience">How long to wait.</param>
internal sealed class HeadStart(TailAnchor anchor, TimeSpan now, GapPatience patience)
{
    private OrderingHolders? _holders = anchor.Holders is null ? null : new(anchor.Holders);

    private bool _isToCollect;

    // Since when no poll knew the open transactions; null where the last one did.
    private TimeSpan? _unknownSince = anchor.Holders is null ? now : null;

    /// <summary>
    /// The highest ordering at the first poll. Once the start has settled nothing can be committed at or below it; of what came above,
    /// gaps may still be open.
    /// </summary>
    internal long Position => anchor.Last?.Ordering ?? 0;

    internal TimeSpan Since => now;

    internal bool IsSettled { get; private set; } = anchor.Holders is { Count: 0 } && patience.LeastAge == TimeSpan.Zero;

    /// <summary>Whether that wait was skipped, though somebody is still open.</summary>
    internal bool IsGivenUp { get; private set; }

    /// <summary>Whether it cannot have settled yet, whoever has ended: that takes time.</summary>
    internal bool IsTooYoung(TimeSpan at) => !IsSettled && (_unknownSince is { } since ? at - since < patience.Timeout : at - now < patience.LeastAge);

    /// <summary>Who was open then and still is; null where the database cannot tell.</summary>
    internal IReadOnlySet<string>? Holders => _holders?.Open;

    /// <summary>It may be another server from now on: who is open is collected again.</summary>
    internal void CollectAgain() => _isToCollect = true;

    /// <summary>Takes in who is open now; null where the database cannot tell, and the time has to do.</summary>
    internal void Looked(IReadOnlySet<string>? holders, TimeSpan at)
    {
        var isOld = at - now >= patience.Timeout;
        _unknownSince = holders is null ? _unknownSince ?? at : null;
        // Who was open at the start and still is, is among those who are open now.
        if (_isToCollect || _holders is null)
        {
            _holders = holders is null ? null : new(holders);
            _isToCollect = false;
        }
        if (holders is not null && _holders is not null)
        {
            IsSettled |= _holders.EndedBy(holders) && at - now >= patience.LeastAge;
            IsGivenUp = !IsSettled && patience.GivesUp && isOld;
        }
        else
            IsSettled |= at - _unknownSince >= patience.Timeout;
    }
}
