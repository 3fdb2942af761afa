using Throttled.Journal.Rows;

namespace Throttled.Journal.Ordering;

/// <summary>The highest ordering seen, and the high-water mark: at and below it, nothing can be committed any more. Contains no clock and no I/O.</summary>
internal sealed class HighWaterMark(GapPolicy policy)
{
    private const int MostGaps = 1_000;

    private readonly OpenGaps _gaps = new(policy);
    private StartupBarrier? _barrier;

    /// <summary>The key with the highest ordering seen so far; null if none was seen, or if the journal was not polled.</summary>
    internal JournalKey? Last { get; private set; }

    /// <summary>The highest ordering seen so far; 0 if there is none.</summary>
    internal long HighestSeen { get; private set; }

    /// <summary>The high-water mark; null while it is not known because of transactions that were open at the first poll.</summary>
    internal long? Value { get; private set; }

    /// <summary>
    /// Whether another server answers and has not yet shown all that was seen on the previous server. It may be a standby that is behind. Until then,
    /// nothing is settled.
    /// </summary>
    internal bool IsBehind { get; private set; }

    internal bool HasBegun => _barrier is not null;

    /// <summary>Whether all transactions that were open at the first poll have ended.</summary>
    internal bool IsSettled => !IsBehind && _barrier is { IsSettled: true };

    /// <summary>The highest ordering at the first poll; 0 if there was none.</summary>
    internal long Start => _barrier?.Position ?? 0;

    /// <summary>Whether a transaction may still commit below the highest ordering seen. The next poll then reads the open transactions.</summary>
    internal bool NeedsOpenTransactions => IsBehind || _gaps.NeedsOpenTransactions || _barrier is { IsSettled: false };

    /// <summary>Whether the next poll moves the high-water mark if it finds nothing in a gap.</summary>
    internal bool IsAboutToMove => _gaps.IsClosing;

    internal IReadOnlyList<OrderingRange> Gaps => _gaps.Ranges;

    internal int GapCount => _gaps.Count;

    /// <inheritdoc cref="OpenGaps.Increment"/>
    internal long Increment
    {
        set => _gaps.Increment = value;
    }

    /// <summary>
    /// Whether the tail should start again at the end, because each poll would have to request too many gaps. False while the current start has not
    /// reached its least age. A new start would not reach it either, and the high-water mark would never move.
    /// </summary>
    internal bool IsToBeginAnew(TimeSpan now) => _gaps.Count > MostGaps && _barrier is not null && !_barrier.IsTooYoung(now);

    /// <summary>Gaps that the last poll skipped although they may still be committed. The high-water mark passes them, but polls still request them.</summary>
    internal IReadOnlyList<OrderingRange> Skipped { get; private set; } = [];

    /// <summary>The oldest gap that stalls the high-water mark; null if there is none.</summary>
    internal OldestGap? OldestGap => Unsettled is null ? _gaps.Oldest : null;

    /// <summary>The startup barrier while it stalls the high-water mark; null if it does not.</summary>
    internal StartupBarrier? Unsettled => IsBehind ? null : _barrier is { IsSettled: false, IsSkipped: false } barrier ? barrier : null;

    /// <summary>When it stalled; null if it is not stalled.</summary>
    internal TimeSpan? StalledSince => Unsettled?.Since ?? OldestGap?.Since;

    /// <summary>When a poll last found it at the journal end; null before that.</summary>
    internal TimeSpan? ConfirmedAt { get; private set; }

    /// <summary>Call this when a poll has seen all rows that existed when it began.</summary>
    internal void Confirm(TimeSpan now) => ConfirmedAt = Value is not null && !IsBehind && StalledSince is null ? now : ConfirmedAt;

    /// <summary>Takes in the first poll. A known high-water mark stays valid.</summary>
    internal void Begin(TailStart start, TimeSpan now)
    {
        _gaps.Clear();
        IsBehind &= !(start.Last?.Ordering >= Last?.Ordering);
        // Rows that were seen before may be deleted now, but their orderings were issued.
        if (Last is not { } last || start.Last?.Ordering > last.Ordering)
            Last = start.Last;
        _barrier = new(start with { Last = Last }, now, policy);
        HighestSeen = _barrier.Position;
        Judge();
    }

    /// <summary>
    /// Takes in one poll; <see cref="OpenGaps.Observe"/> describes the required order of its statements. <paramref name="isBetweenServers"/> says that
    /// the journal was unavailable during the poll. Another server may then have answered, with other names for transactions. So names of this poll are
    /// not compared with those of earlier or later polls.
    /// </summary>
    internal void Observe(KeysRequest request, KeysResult result, TimeSpan now, bool isBetweenServers = false)
    {
        if (isBetweenServers)
            CollectAgain();
        if (IsBehind)
            ObserveWhileBehind(request, result, now, isBetweenServers);
        _gaps.Observe(request, result, now);
        if (result.Above.Count > 0 && result.Above[^1].Ordering >= HighestSeen)
        {
            Last = result.Above[^1];
            HighestSeen = result.Above[^1].Ordering;
        }
        Skipped = _gaps.Skipped;
        if (!IsBehind && !IsSettled)
            ObserveForStart(result.OpenTransactions, now);
        Judge();
        if (isBetweenServers)
            CollectAgain();
    }

    /// <summary>
    /// Another server answers from now on. The highest ordering seen stays. The new server must first show all that was seen on the previous one;
    /// then the high-water mark is determined again.
    /// </summary>
    internal void Move()
    {
        IsBehind = Last is not null;
        Value = null;
        CollectAgain();
    }

    /// <summary>The rows above a key do not exist any more, and their orderings are issued again.</summary>
    /// <param name="key">The highest key that still exists; null if there is none.</param>
    internal void RewindTo(JournalKey? key)
    {
        Last = key;
        HighestSeen = key?.Ordering ?? 0;
        if (Value > HighestSeen)
            Value = HighestSeen;
        _gaps.CutAfter(HighestSeen);
    }

    /// <summary>The journal was unavailable, and another server may answer now. Transactions have other names there, so earlier names are useless.</summary>
    internal void CollectAgain()
    {
        _gaps.CollectAgain();
        _barrier?.CollectAgain();
    }

    /// <summary>The next poll is a first poll again.</summary>
    internal void Pause()
    {
        _barrier = null;
        _gaps.Clear();
    }

    /// <summary>Forgets everything: it is another journal now, or the journal was not polled for some time.</summary>
    internal void Forget()
    {
        Pause();
        (Last, HighestSeen, Value, IsBehind, ConfirmedAt) = (null, 0, null, false, null);
    }

    // A row at or above the position shows that the server has reached it. It may still lack rows below it that were committed later. So wait for all
    // transactions that are open on it now, as at a first poll.
    private void ObserveWhileBehind(KeysRequest request, KeysResult result, TimeSpan now, bool isBetweenServers)
    {
        _gaps.BeginAgain(now);
        if (isBetweenServers || (result.Above.Count == 0 && !(result.LastIssued >= request.From)))
            return;
        IsBehind = false;
        _barrier = new(new(Last, result.OpenTransactions), now, policy);
    }

    private void ObserveForStart(IReadOnlySet<string>? openTransactions, TimeSpan now)
    {
        var wasSkipped = _barrier!.IsSkipped;
        _barrier.Observe(openTransactions, now);
        if (_barrier.IsSkipped && !wasSkipped)
            Skipped = [new(1, Start), .. Skipped];
    }

    private void Judge()
    {
        if (!IsBehind && _barrier is ({ IsSettled: true } or { IsSkipped: true }))
            Value = Math.Max(Value ?? 0, _gaps.Lowest - 1 ?? HighestSeen);
    }
}
