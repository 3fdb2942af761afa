using Throttled.Journal.Sql;

namespace Throttled.Journal.Ordering;

/// <summary>
/// How far the journal has been seen, and how far its order is settled: at and below the high-water mark nothing can be committed any more. Plain
/// logic; no clock of its own.
/// </summary>
internal sealed class JournalHead(GapPatience patience)
{
    private const int MostGaps = 1_000;

    private readonly OpenGaps _gaps = new(patience);
    private HeadStart? _start;

    /// <summary>The key with the highest ordering seen so far; null where none was, or the journal has not been polled.</summary>
    internal JournalKey? Last { get; private set; }

    /// <summary>The highest ordering seen so far; 0 where there is none.</summary>
    internal long Read { get; private set; }

    /// <summary>
    /// The highest ordering at and below which nothing can be committed any more; null while that is not known, because of the transactions that
    /// were open at the first poll.
    /// </summary>
    internal long? Value { get; private set; }

    /// <summary>
    /// Whether another server answers, and has not shown yet that it has what was seen on the one before: a standby may be behind. Until then nothing is settled.
    /// </summary>
    internal bool IsBehind { get; private set; }

    internal bool HasBegun => _start is not null;

    /// <summary>Whether all that was open at the first poll has ended.</summary>
    internal bool IsSettled => !IsBehind && _start is { IsSettled: true };

    /// <summary>The highest ordering at the first poll; 0 where there was none.</summary>
    internal long Start => _start?.Position ?? 0;

    /// <summary>Whether somebody may still commit below what was seen, so that the next poll has to collect the open transactions.</summary>
    internal bool NeedsHolders => IsBehind || _gaps.NeedsHolders || _start is { IsSettled: false };

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
    internal bool IsToBeginAnew(TimeSpan now) => _gaps.Count > MostGaps && _start is not null && !_start.IsTooYoung(now);

    /// <summary>What the last poll skipped though it may still be committed: the high-water mark goes on, and the gap is requested all the same.</summary>
    internal IReadOnlyList<OrderingRange> GivenUp { get; private set; } = [];

    /// <summary>The gap that has stalled the high-water mark longest; null where none does.</summary>
    internal OldGap? OldestGap => Unsettled is null ? _gaps.Oldest : null;

    /// <summary>What the first poll waits for; null where it waits for nothing.</summary>
    internal HeadStart? Unsettled => IsBehind ? null : _start is { IsSettled: false, IsGivenUp: false } start ? start : null;

    /// <summary>The first poll. A high-water mark that was known stays: what was settled is settled.</summary>
    internal void Begin(TailAnchor anchor, TimeSpan now)
    {
        _gaps.Clear();
        IsBehind &= !(anchor.Last?.Ordering >= Last?.Ordering);
        // What was seen before may have been deleted since; its numbers were issued all the same.
        if (Last is not { } last || anchor.Last?.Ordering > last.Ordering)
            Last = anchor.Last;
        _start = new(anchor with { Last = Last }, now, patience);
        Read = _start.Position;
        Judge();
    }

    /// <summary>Takes in one poll; see <see cref="OpenGaps.Looked"/> for the order in which it must have been made.</summary>
    /// <param name="query">What was requested.</param>
    /// <param name="found">What was found.</param>
    /// <param name="now">The time.</param>
    /// <param name="isBetweenServers">Whether the journal was away meanwhile: names of before say nothing of this poll, nor its own later.</param>
    internal void Looked(KeysQuery query, KeysFound found, TimeSpan now, bool isBetweenServers = false)
    {
        if (isBetweenServers)
            CollectAgain();
        if (IsBehind)
            LookedWhileBehind(query, found, now, isBetweenServers);
        _gaps.Looked(query, found, now);
        if (found.Above.Count > 0 && found.Above[^1].Ordering >= Read)
        {
            Last = found.Above[^1];
            Read = found.Above[^1].Ordering;
        }
        GivenUp = _gaps.GivenUp;
        if (!IsBehind && !IsSettled)
            LookedForStart(found.Holders, now);
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
    internal void StepBack(JournalKey? key)
    {
        Last = key;
        Read = key?.Ordering ?? 0;
        if (Value > Read)
            Value = Read;
        _gaps.CutAfter(Read);
    }

    /// <summary>
    /// The journal was away, and may be on another server now: whoever can still commit has another name there, so that names from before say
    /// nothing.
    /// </summary>
    internal void CollectAgain()
    {
        _gaps.CollectAgain();
        _start?.CollectAgain();
    }

    /// <summary>The next poll will be a first one again.</summary>
    internal void Pause()
    {
        _start = null;
        _gaps.Clear();
    }

    /// <summary>It is another journal now, or nobody has polled it for long: nothing is known.</summary>
    internal void Forget()
    {
        Pause();
        (Last, Read, Value, IsBehind) = (null, 0, null, false);
    }

    // A row at or above the position shows that the server has come that far. What was committed later below it, it may still lack: whoever is open
    // on it now is waited for, as at a first poll.
    private void LookedWhileBehind(KeysQuery query, KeysFound found, TimeSpan now, bool isBetweenServers)
    {
        _gaps.BeginAgain(now);
        if (isBetweenServers || (found.Above.Count == 0 && !(found.LastGivenOut >= query.From)))
            return;
        IsBehind = false;
        _start = new(new(Last, found.Holders), now, patience);
    }

    private void LookedForStart(IReadOnlySet<string>? holders, TimeSpan now)
    {
        var wasGivenUp = _start!.IsGivenUp;
        _start.Looked(holders, now);
        if (_start.IsGivenUp && !wasGivenUp)
            GivenUp = [new(1, Start), .. GivenUp];
    }

    private void Judge()
    {
        if (!IsBehind && _start is ({ IsSettled: true } or { IsGivenUp: true }))
            Value = Math.Max(Value ?? 0, _gaps.Lowest - 1 ?? Read);
    }
}
