using Throttled.Journal.Ordering;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Tail;

/// <summary>
/// Whether all that was open when the tail took its position has ended. Until then an ordering below the position may still
/// be committed that the tail, which never looked there, does not know to be missing.
/// </summary>
internal sealed class TailStart(TailAnchor anchor, TimeSpan now, TimeSpan timeout)
{
    private readonly OrderingHolders? _holders = anchor.Holders is null ? null : new(anchor.Holders);

    /// <summary>
    /// The highest ordering when the tail began. Once that start has settled nothing can be committed at or below it; of what came above,
    /// gaps may still be open.
    /// </summary>
    internal long Position => anchor.Last?.Ordering ?? 0;

    internal bool IsSettled { get; private set; } = anchor.Holders is { Count: 0 };

    /// <summary>Takes in who is open now; null where the database cannot tell, and the time has to do.</summary>
    internal void Looked(IReadOnlySet<string>? holders, TimeSpan at)
    {
        if (holders is not null && _holders is not null)
            IsSettled |= _holders.EndedBy(holders);
        else
            IsSettled |= at - now >= timeout;
    }
}
