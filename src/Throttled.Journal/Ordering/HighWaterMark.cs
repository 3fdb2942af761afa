using Throttled.Journal.Rows;

namespace Throttled.Journal.Ordering;

/// <summary>
/// How far the journal has been seen, and how far its order is settled: at and below the high-water mark nothing can be committed any more. Plain
/// logic; no clock of its own.
/// </summary>
internal sealed class HighWaterMark(GapPolicy policy)
{
    private const int MostGaps = 1_000;

    private readonly OpenGaps _gaps = new(policy);
    private StartupBarrier? _barrier;

    /// <summary>The key with the highest ordering seen so far; null where none was, or the journal has not been polled.</summary>
    internal JournalKey? Last { get; private set; }

    /// <summary>The highest ordering seen so far; 0 where there is none.</summary>
    internal long HighestSeen { get; private set; }

    /// <summary>
    /// The highest ordering at and below which nothing can be committed any more; null while that is not known, because of the transactions that
    /// were open at the first poll.
    /// </summary>
    internal long? Value { get; private set; }

    /// <summary>
    /// Whether another server answers, and has not shown yet that it has what was seen on the one before: a standby may be behind. Until then nothing is settled.
    /// </summary>
    internal bool IsBehind { get; private set; }

    internal bool HasBegun => _barrier is not null;

    /// <summary>Whether all that was open at the first poll has ended.</summary>
    internal bool IsSettled => !IsBehind && _barrier is { IsSettled: true };

    /// <summary>The highest ordering at the first poll; 0 where there was none.</summary>
    internal long Start => _barrier?.Position ?? 0;

    /// <summary>Whether somebody may still commit below what was seen, so that the next poll has to collect the open transactions.</summary>
    internal bool NeedsOpenTransactions => IsBehind || _gaps.NeedsHolders || _barrier is { IsSettled: false };

    /// <summary>Whether the next poll, if it finds nothing, moves the high-water mark.</summary>
    internal bool IsAboutToMove => _gaps.IsClosing;

    /// <summary>The missing orderings, ascending.</summary>
    internal IReadOnlyList<OrderingRange> Gaps => _gaps.Ranges;

    internal int GapCount => _gaps.Count;

    /// <inheritdoc cref="OpenGaps.Increment"/>
    internal long Increment
    {
        set => _gaps.Increment = value;
    }

    /// <summary>
    /// Whether it is better to begin anew at the end than to ask for so many gaps at each look. Not before a start that has yet to settle by its age has: the next
    /// one would not either, and the head would stand still.
    /// </summary>
    internal bool IsToBeginAnew(TimeSpan now) => _gaps.Count > MostGaps && _barrier is not null && !_barrier.IsTooYoung(now);

    /// <summary>What the last poll skipped though it may still be committed: the high-water mark goes on, and the gap is requested all the same.</summary>
    internal IReadOnlyList<OrderingRange> Skipped { get; private set; } = [];

    /// <summary>The gap that has stalled the high-water mark longest; null where none does.</summary>
    internal OldestGap? OldestGap => Unsettled is null ? _gaps.Oldest : null;

    /// <summary>What the first poll waits for; null where it waits for nothing.</summary>
    internal StartupBarrier? Unsettled => IsBehind ? null : _barrier is { IsSettled: false, IsSkipped: false } barrier ? barrier : null;

    /// <summary>The first poll. A high-water mark that was known stays: what was settled is settled.</summary>
    internal void Begin(TailStart start, TimeSpan now)
    {
        _gaps.Clear();
        IsBehind &= !(start.Last?.Ordering >= Last?.Ordering);
        // What was seen before may have been deleted since; its numbers were issued all the same.
        if (Last is not { } last || start.Last?.Ordering > last.Ordering)
            Last = start.Last;
        _barrier = new(start with { Last = Last }, now, policy);
        HighestSeen = _barrier.Position;
        Judge();
    }

    /// <summary>Takes in one poll; see <see cref="OpenGaps.Observe"/> for the order in which it must have been made.</summary>
    /// <param name="request">What was requested.</param>
    /// <param name="result">What was found.</param>
    /// <param name="now">The time.</param>
    /// <param name="isBetweenServers">Whether the journal was away meanwhile: names of before say nothing of this poll, nor its own later.</param>
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
    /// Another server answers from now on. What was seen stays; how far the order is settled, this server has to show anew, once it has all that was
    /// seen on the one before.
    /// </summary>
    internal void Move()
    {
        IsBehind = Last is not null;
        Value = null;
        CollectAgain();
    }

    /// <summary>What was seen above an ordering is not there any more, and its numbers are issued anew.</summary>
    /// <param name="key">The highest key that is still there; null where none is.</param>
    internal void RewindTo(JournalKey? key)
    {
        Last = key;
        HighestSeen = key?.Ordering ?? 0;
        if (Value > HighestSeen)
            Value = HighestSeen;
        _gaps.CutAfter(HighestSeen);
    }

    /// <summary>
    /// The journal was away, and may be on another server now: whoever can still commit has another name there, so that names from before say
    /// nothing.
    /// </summary>
    internal void CollectAgain()
    {
        _gaps.CollectAgain();
        _barrier?.CollectAgain();
    }

    /// <summary>The next poll will be a first one again.</summary>
    internal void Pause()
    {
        _barrier = null;
        _gaps.Clear();
    }

    /// <summary>It is another journal now, or nobody has polled it for long: nothing is known.</summary>
    internal void Forget()
    {
        Pause();
        (Last, HighestSeen, Value, IsBehind) = (null, 0, null, false);
    }

    // A row at or above the position shows that the server has come that far. What was committed later below it, it may still lack: whoever is open
    // on it now is waited for, as at a first poll.
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
