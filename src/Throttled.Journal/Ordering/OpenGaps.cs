using Throttled.Journal.Rows;

namespace Throttled.Journal.Ordering;

/// <summary>
/// Orderings that were missing when higher ones were seen, and that may still be committed. A gap is closed by evidence:
/// when every transaction that could own it has ended, and a later poll still finds nothing there; by its age only where
/// the database has not said for as long who could own it. Plain logic; no clock of its own.
/// </summary>
/// <param name="policy">How long a gap stays open where there is no evidence.</param>
internal sealed class OpenGaps(GapPolicy policy)
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
    internal long? Lowest => _gaps.Find(gap => !gap.IsSkipped)?.Range.First;

    /// <summary>Whether the next poll is a gap's last.</summary>
    internal bool IsClosing => _gaps.Exists(gap => gap.IsLastPoll);

    /// <summary>
    /// The gaps that the last poll skipped though they may still be filled: nobody has to wait for them any more, and they are requested
    /// all the same.
    /// </summary>
    internal IReadOnlyList<OrderingRange> Skipped { get; private set; } = [];

    /// <summary>
    /// Takes in one poll. It must have been made in this order: the keys in <see cref="Ranges"/> and above the position were read, then
    /// the open transactions were collected.
    /// </summary>
    /// <param name="request">What was requested.</param>
    /// <param name="result">What was found.</param>
    /// <param name="now">The time.</param>
    internal void Observe(KeysRequest request, KeysResult result, TimeSpan now)
    {
        // Whether the gaps were read to their ends, not only to the limit of the poll.
        var isWhole = result.Late.Count < request.Limit;
        var after = request.From;
        Fill(result.Late);
        Skipped = isWhole ? SkipTimedOut() : [];
        if (isWhole)
            _gaps.RemoveAll(gap => gap.IsLastPoll);
        foreach (var key in result.Above)
        {
            if (key.Ordering > after + 1)
                _gaps.Add(new(new(after + 1, key.Ordering - 1), now));
            after = Math.Max(after, key.Ordering);
        }
        // A single poll without open transactions says nothing.
        if (result.OpenTransactions is not null)
            _unknownSince = null;
        else if (request.WithOpenTransactions)
            _unknownSince ??= now;
        Judge(result.OpenTransactions, now);
    }

    /// <summary>The gap that has been waited for longest; null where there is none.</summary>
    internal OldestGap? Oldest => _gaps.Where(gap => !gap.IsSkipped).MinBy(gap => gap.Since) is { } gap ? new(gap.Range, gap.Since, gap.OpenTransactions?.Open) : null;

    internal void Clear() => _gaps.Clear();

    /// <summary>It may be another server from now on: who can fill the gaps is collected again.</summary>
    internal void CollectAgain()
    {
        foreach (var gap in _gaps)
            (gap.OpenTransactions, gap.IsLastPoll) = (null, false);
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
    private void Judge(IReadOnlySet<string>? openTransactions, TimeSpan now)
    {
        var isUnknown = now - _unknownSince >= policy.Timeout;
        if (openTransactions is not null)
        {
            foreach (var known in _gaps.Select(gap => gap.OpenTransactions).OfType<OpenTransactions>().Distinct().ToList())
                known.EndedBy(openTransactions);
        }
        OpenTransactions? seenNow = null;
        foreach (var gap in _gaps)
        {
            if (openTransactions is not null)
                gap.OpenTransactions ??= seenNow ??= new(openTransactions);
            else if (isUnknown && !gap.IsOwnerless)
                gap.OpenTransactions = null;
            var age = now - gap.Since;
            var isOld = age >= policy.Timeout;
            gap.IsLastPoll = gap.IsOwnerless ? age >= LeastAgeOf(gap.Range)
                : openTransactions is null ? isOld && isUnknown
                : policy.SkipsOnTimeout && isOld && !gap.IsSkipped;
        }
    }

    // Between two numbers that the database gave out, as far apart as it gives them out, there is none.
    private TimeSpan LeastAgeOf(OrderingRange range) => range.Last - range.First + 1 < Increment ? TimeSpan.Zero : policy.LeastAge;

    private List<OrderingRange> SkipTimedOut()
    {
        var gaps = _gaps.FindAll(gap => gap is { IsLastPoll: true, OpenTransactions.IsEmpty: false });
        foreach (var gap in gaps)
            (gap.IsSkipped, gap.IsLastPoll) = (true, false);
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

        internal OpenTransactions? OpenTransactions { get; set; }

        /// <summary>Whether all who could fill it have ended. That stays true, whoever is open later.</summary>
        internal bool IsOwnerless => OpenTransactions is { IsEmpty: true };

        /// <summary>Nobody can fill it any more; the next poll, which begins after that was known, is the last.</summary>
        internal bool IsLastPoll { get; set; }

        /// <summary>Nobody waits for it any more.</summary>
        internal bool IsSkipped { get; set; }

        // The set of owners is shared: it only ever shrinks, for all parts alike.
        internal Gap Part(OrderingRange part) => new(part, Since) { OpenTransactions = OpenTransactions, IsLastPoll = IsLastPoll, IsSkipped = IsSkipped };
    }
}

/// <summary>A gap that is still open.</summary>
/// <param name="Range">The orderings that are missing.</param>
/// <param name="Since">Since when.</param>
/// <param name="OpenTransactions">The transactions that may still commit them; null where the database cannot say.</param>
internal sealed record OldestGap(OrderingRange Range, TimeSpan Since, IReadOnlySet<string>? OpenTransactions);

/// <summary>How long a missing ordering is waited for.</summary>
/// <param name="Timeout">The time, where the database cannot say whether it may still be committed.</param>
/// <param name="SkipsOnTimeout">Whether the time also ends the wait for one that may.</param>
internal readonly record struct GapPolicy(TimeSpan Timeout, bool SkipsOnTimeout = false)
{
    private static readonly TimeSpan MostLeastAge = TimeSpan.FromSeconds(10);

    /// <summary>How long it is waited for even where the database shows that nobody may commit it any more.</summary>
    internal TimeSpan LeastAge { get; init; }

    /// <param name="options">The options.</param>
    /// <param name="hasTriedEvidence">As <see cref="Throttled.Journal.Database.IJournalDatabase.HasTriedEvidence"/>.</param>
    internal static GapPolicy Of(JournalOptions options, bool hasTriedEvidence) => new(options.GapTimeout, options.OnGapTimeout == GapTimeoutAction.Skip)
    {
        LeastAge = hasTriedEvidence ? TimeSpan.Zero : options.GapMinAge ?? (options.GapTimeout < MostLeastAge ? options.GapTimeout : MostLeastAge),
    };
}
