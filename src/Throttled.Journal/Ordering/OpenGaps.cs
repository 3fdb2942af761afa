using Throttled.Journal.Rows;

namespace Throttled.Journal.Ordering;

/// <summary>
/// Orderings that were missing when higher ones were seen, and that may still be committed. A gap is closed by evidence: every transaction that could
/// own it has ended, and a later poll still finds nothing there. It is closed by age only if the database has not reported open transactions for that
/// time. Contains no clock and no I/O.
/// </summary>
internal sealed class OpenGaps(GapPolicy policy)
{
    private readonly List<Gap> _gaps = [];

    // When a poll first requested the open transactions and did not get them. Null before such a poll, and again when a poll gets them or none of the asked gaps is left.
    private TimeSpan? _unknownSince;

    internal int Count => _gaps.Count;

    /// <summary>The distance between two orderings that the database issues; 1 if it does not report it.</summary>
    internal long Increment { get; set; } = 1;

    /// <summary>Whether an open transaction may still fill a gap. If so, the next poll requests the open transactions.</summary>
    internal bool NeedsOpenTransactions => _gaps.Exists(gap => !gap.IsOwnerless);

    /// <summary>The gaps, ascending. Polls request these orderings.</summary>
    internal IReadOnlyList<OrderingRange> Ranges => [.. _gaps.Select(gap => gap.Range)];

    /// <summary>The lowest missing ordering that was not skipped; null if there is none.</summary>
    internal long? Lowest => _gaps.Find(gap => !gap.IsSkipped)?.Range.First;

    /// <summary>Whether the next poll is the last one for a gap.</summary>
    internal bool IsClosing => _gaps.Exists(gap => gap.IsLastPoll);

    /// <summary>The gaps that the last poll skipped although they may still be filled. Queries do not wait for them; polls still request them.</summary>
    internal IReadOnlyList<OrderingRange> Skipped { get; private set; } = [];

    /// <summary>Takes in one poll. It must read the keys in <see cref="Ranges"/> and above the position first, then the open transactions.</summary>
    internal void Observe(KeysRequest request, KeysResult result, TimeSpan now)
    {
        // Whether all gaps were read completely, not only up to the limit of the poll.
        var isWhole = result.Late.Count < request.Limit;
        var after = request.From;
        Fill(result.Late);
        Skipped = isWhole ? SkipTimedOut() : [];
        if (isWhole)
            _gaps.RemoveAll(gap => gap.IsLastPoll);
        var isNothingMissing = request.OnlyForGaps && _gaps.Count == 0;
        foreach (var key in result.Above)
        {
            if (key.Ordering > after + 1)
                _gaps.Add(new(new(after + 1, key.Ordering - 1), now));
            after = Math.Max(after, key.Ordering);
        }
        // A single poll without open transactions proves nothing.
        if (result.OpenTransactions is not null || isNothingMissing)
            _unknownSince = null;
        else if (request.WithOpenTransactions)
            _unknownSince ??= now;
        Judge(result.OpenTransactions, now);
    }

    /// <summary>The gap that has been open longest; null if there is none. A lower gap is never newer than a higher one, so it is also the lowest.</summary>
    internal OldestGap? Oldest => _gaps.Find(gap => !gap.IsSkipped) is { } gap ? new(gap.Range, gap.Since, gap.OpenTransactions?.Open) : null;

    internal void Clear() => _gaps.Clear();

    /// <summary>Another server may answer from now on: the open transactions that can fill the gaps are read again.</summary>
    internal void CollectAgain()
    {
        foreach (var gap in _gaps)
            (gap.OpenTransactions, gap.IsLastPoll) = (null, false);
    }

    /// <summary>Earlier evidence is not valid any more: the open transactions are read again, and the age of the gaps counts from now.</summary>
    internal void BeginAgain(TimeSpan now)
    {
        CollectAgain();
        foreach (var gap in _gaps)
            gap.Since = now;
    }

    /// <summary>Forgets the gaps above an ordering.</summary>
    internal void CutAfter(long ordering)
    {
        _gaps.RemoveAll(gap => gap.Range.First > ordering);
        if (_gaps.Count > 0 && _gaps[^1] is var last && last.Range.Last > ordering)
            _gaps[^1] = last.Part(last.Range with { Last = ordering });
    }

    // Gaps that were first seen in the same poll share a set of owners, so each set is searched once.
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

    // The database never issues the orderings between two consecutive ones, if its increment is above 1.
    private TimeSpan LeastAgeOf(OrderingRange range) => range.Last - range.First + 1 < Increment ? TimeSpan.Zero : policy.LeastAge;

    private List<OrderingRange> SkipTimedOut()
    {
        var gaps = _gaps.FindAll(gap => gap is { IsLastPoll: true, OpenTransactions.IsEmpty: false });
        foreach (var gap in gaps)
            (gap.IsSkipped, gap.IsLastPoll) = (true, false);
        return [.. gaps.Select(gap => gap.Range)];
    }

    // A late ordering splits its gap. The remaining parts keep the gap's age and owners.
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

        /// <summary>Whether all transactions that could fill the gap have ended. Later transactions do not change that.</summary>
        internal bool IsOwnerless => OpenTransactions is { IsEmpty: true };

        /// <summary>Whether the next poll is the last one for this gap. It begins after it was known that no transaction can fill the gap.</summary>
        internal bool IsLastPoll { get; set; }

        /// <summary>Whether queries do not wait for it any more.</summary>
        internal bool IsSkipped { get; set; }

        // The parts share the set of owners, which only shrinks.
        internal Gap Part(OrderingRange part) => new(part, Since) { OpenTransactions = OpenTransactions, IsLastPoll = IsLastPoll, IsSkipped = IsSkipped };
    }
}

/// <summary>A gap that is still open.</summary>
/// <param name="Range">The orderings that are missing.</param>
/// <param name="Since">When they were first missing.</param>
/// <param name="OpenTransactions">The transactions that may still commit them; null if the database does not report them.</param>
internal sealed record OldestGap(OrderingRange Range, TimeSpan Since, IReadOnlySet<string>? OpenTransactions);

/// <summary>How long queries wait for a missing ordering.</summary>
/// <param name="Timeout">The time if the database does not report whether the ordering may still be committed.</param>
/// <param name="SkipsOnTimeout">Whether the time also ends the wait for an ordering that may still be committed.</param>
internal readonly record struct GapPolicy(TimeSpan Timeout, bool SkipsOnTimeout = false)
{
    private static readonly TimeSpan MostLeastAge = TimeSpan.FromSeconds(10);

    /// <summary>The least time to wait, even if the database shows that no transaction can commit the ordering.</summary>
    internal TimeSpan LeastAge { get; init; }

    internal static GapPolicy Of(JournalOptions options, bool hasTriedEvidence) => new(options.GapTimeout, options.OnGapTimeout == GapTimeoutAction.Skip)
    {
        LeastAge = hasTriedEvidence ? TimeSpan.Zero : options.GapMinAge ?? (options.GapTimeout < MostLeastAge ? options.GapTimeout : MostLeastAge),
    };
}
