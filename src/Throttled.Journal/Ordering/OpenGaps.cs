using Throttled.Journal.Sql;

namespace Throttled.Journal.Ordering;

/// <summary>
/// Orderings that were missing when higher ones were seen, and that may still be committed. A gap is closed by evidence:
/// when every transaction that could own it has ended, and a later poll still finds nothing there; by its age only where
/// the database has not said for as long who could own it. Plain logic; no clock of its own.
/// </summary>
/// <param name="patience">How long a gap stays open where there is no evidence.</param>
internal sealed class OpenGaps(GapPatience patience)
{
    private readonly List<Gap> _gaps = [];

    // Since when no poll got the open transactions, of those that requested them; null where the last one was, and before the first.
    private TimeSpan? _unknownSince;

    internal int Count => _gaps.Count;

    /// <summary>How far apart the numbers are that the database gives out; 1 where it does not tell.</summary>
    internal long Increment { get; set; } = 1;

    /// <summary>Whether somebody may fill one, as far as is known, so that the next look has to find out who is open.</summary>
    internal bool NeedsHolders => _gaps.Exists(gap => !gap.IsOwnerless);

    /// <summary>The gaps, ascending, to be requested by name.</summary>
    internal IReadOnlyList<OrderingRange> Ranges => [.. _gaps.Select(gap => gap.Range)];

    /// <summary>The lowest ordering that is missing and was not skipped; null where none is.</summary>
    internal long? Lowest => _gaps.Find(gap => !gap.IsGivenUp)?.Range.First;

    /// <summary>Whether the next poll is a gap's last.</summary>
    internal bool IsClosing => _gaps.Exists(gap => gap.IsLastLook);

    /// <summary>
    /// The gaps that the last poll skipped though they may still be filled: nobody has to wait for them any more, and they are requested
    /// all the same.
    /// </summary>
    internal IReadOnlyList<OrderingRange> GivenUp { get; private set; } = [];

    /// <summary>
    /// Takes in one poll. It must have been made in this order: the keys in <see cref="Ranges"/> and above the position were read, then
    /// the open transactions were collected.
    /// </summary>
    /// <param name="query">What was requested.</param>
    /// <param name="found">What was found.</param>
    /// <param name="now">The time.</param>
    internal void Looked(KeysQuery query, KeysFound found, TimeSpan now)
    {
        // Whether the gaps were read to their ends, not only to the limit of the poll.
        var isWhole = found.Late.Count < query.Limit;
        var after = query.From;
        Fill(found.Late);
        GivenUp = isWhole ? GiveUp() : [];
        if (isWhole)
            _gaps.RemoveAll(gap => gap.IsLastLook);
        foreach (var key in found.Above)
        {
            if (key.Ordering > after + 1)
                _gaps.Add(new(new(after + 1, key.Ordering - 1), now));
            after = Math.Max(after, key.Ordering);
        }
        // A single poll without open transactions says nothing.
        if (found.Holders is not null)
            _unknownSince = null;
        else if (query.WithHolders)
            _unknownSince ??= now;
        Judge(found.Holders, now);
    }

    /// <summary>The gap that has been waited for longest; null where there is none.</summary>
    internal OldGap? Oldest => _gaps.Where(gap => !gap.IsGivenUp).MinBy(gap => gap.Since) is { } gap ? new(gap.Range, gap.Since, gap.Holders?.Open) : null;

    internal void Clear() => _gaps.Clear();

    /// <summary>It may be another server from now on: who can fill the gaps is collected again.</summary>
    internal void CollectAgain()
    {
        foreach (var gap in _gaps)
            (gap.Holders, gap.IsLastLook) = (null, false);
    }

    /// <summary>Nothing that was found before says anything: whoever can fill the gaps is collected again, and their age counts from now.</summary>
    internal void BeginAgain(TimeSpan now)
    {
        CollectAgain();
        foreach (var gap in _gaps)
            gap.Since = now;
    }

    /// <summary>Forgets what is missing above an ordering.</summary>
    internal void CutAfter(long ordering)
    {
        _gaps.RemoveAll(gap => gap.Range.First > ordering);
        if (_gaps.Count > 0 && _gaps[^1] is var last && last.Range.Last > ordering)
            _gaps[^1] = last.Part(last.Range with { Last = ordering });
    }

    // Gaps that were seen in the same poll share their owners, so that each set is searched once.
    private void Judge(IReadOnlySet<string>? holders, TimeSpan now)
    {
        var isUnknown = now - _unknownSince >= patience.Timeout;
        if (holders is not null)
        {
            foreach (var known in _gaps.Select(gap => gap.Holders).OfType<OrderingHolders>().Distinct().ToList())
                known.EndedBy(holders);
        }
        OrderingHolders? seenNow = null;
        foreach (var gap in _gaps)
        {
            if (holders is not null)
                gap.Holders ??= seenNow ??= new(holders);
            else if (isUnknown && !gap.IsOwnerless)
                gap.Holders = null;
            var age = now - gap.Since;
            var isOld = age >= patience.Timeout;
            gap.IsLastLook = gap.IsOwnerless ? age >= LeastAgeOf(gap.Range)
                : holders is null ? isOld && isUnknown
                : patience.GivesUp && isOld && !gap.IsGivenUp;
        }
    }

    // Between two numbers that the database gave out, as far apart as it gives them out, there is none.
    private TimeSpan LeastAgeOf(OrderingRange range) => range.Last - range.First + 1 < Increment ? TimeSpan.Zero : patience.LeastAge;

    private List<OrderingRange> GiveUp()
    {
        var gaps = _gaps.FindAll(gap => gap is { IsLastLook: true, Holders.IsEmpty: false });
        foreach (var gap in gaps)
            (gap.IsGivenUp, gap.IsLastLook) = (true, false);
        return [.. gaps.Select(gap => gap.Range)];
    }

    // A late number splits its gap; what is left of it is as old as it was and has the same owners.
    private void Fill(IReadOnlyList<JournalKey> late)
    {
        foreach (var key in late)
        {
            var index = _gaps.FindIndex(gap => gap.Range.First <= key.Ordering && key.Ordering <= gap.Range.Last);
            if (index < 0)
                continue;
            var gap = _gaps[index];
            _gaps.RemoveAt(index);
            if (key.Ordering < gap.Range.Last)
                _gaps.Insert(index, gap.Part(new(key.Ordering + 1, gap.Range.Last)));
            if (gap.Range.First < key.Ordering)
                _gaps.Insert(index, gap.Part(new(gap.Range.First, key.Ordering - 1)));
        }
    }

    private sealed class Gap(OrderingRange range, TimeSpan since)
    {
        internal OrderingRange Range => range;

        internal TimeSpan Since { get; set; } = since;

        internal OrderingHolders? Holders { get; set; }

        /// <summary>Whether all who could fill it have ended. That stays true, whoever is open later.</summary>
        internal bool IsOwnerless => Holders is { IsEmpty: true };

        /// <summary>Nobody can fill it any more; the next poll, which begins after that was known, is the last.</summary>
        internal bool IsLastLook { get; set; }

        /// <summary>Nobody waits for it any more.</summary>
        internal bool IsGivenUp { get; set; }

        // The set of owners is shared: it only ever shrinks, for all parts alike.
        internal Gap Part(OrderingRange part) => new(part, Since) { Holders = Holders, IsLastLook = IsLastLook, IsGivenUp = IsGivenUp };
    }
}
