using Throttled.Journal.Diagnostics;
using Throttled.Journal.Ordering;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Tail;

/// <summary>
/// Compares what stands at the tail's position with what was seen there. Most databases never give a number out again, so that another row
/// there, or a number that was not issued yet, means another journal. Where numbers of deleted newest rows come again, the tail goes
/// back (is rewound) to the newest row that is still there. On the loop.
/// </summary>
internal sealed class StepBack(JournalContext context, JournalHead head, OrderedFollowers ordered)
{
    private const int Remembered = 1_000;

    private readonly KeyHistory _history = new(Remembered);
    private readonly HashSet<string> _runs = new(StringComparer.Ordinal);
    private bool _isWhole = true;

    // The run of the server on which the row at the position stood at the last poll; null where it is known to be deleted, or nobody knows.
    private string? _stoodOn;

    /// <summary>The request that finds out how far the journal still is the one that was seen.</summary>
    internal KeysQuery? LooksBack { get; private set; }

    /// <summary>The request that begins the memory, which comes before anything is said about the journal.</summary>
    /// <param name="last">The highest key.</param>
    internal static KeysQuery LooksFirst(JournalKey last) => new(Math.Max(0, last.Ordering - Remembered), [], int.MaxValue);

    /// <summary>Begins the memory.</summary>
    internal void Begin(KeysQuery query, KeysFound found)
    {
        Forget();
        _isWhole = query.From == 0;
        _history.Add(found.Above);
    }

    internal JournalChange Look(KeysQuery query, KeysFound found)
    {
        if (head.Last is not { } last)
            return JournalChange.None;
        var isThere = found.Above.Count > 0 && found.Above[0].Ordering == query.From;
        if (query == LooksBack)
            return GoBack(found);
        if (isThere && found.Above[0] == last)
            return JournalChange.None;
        if (!context.Database.ReusesOrderings)
            return isThere || found.LastGivenOut < query.From ? JournalChange.Rewound : IsGone(found);
        LooksBack = new(_history.Oldest?.Ordering ?? 0, [], int.MaxValue);
        return JournalChange.ToBeFound;
    }

    /// <summary>The row at the position was deleted: from now on it says nothing.</summary>
    internal void WasDeleted() => _stoodOn = null;

    /// <summary>Takes in what a poll found.</summary>
    internal void Remember(KeysFound found)
    {
        if (found.Above.Count > 0)
            _stoodOn = found.Server;
        if (found.Server is { } run)
            _runs.Add(run);
        if (context.Database.ReusesOrderings)
            Remember(found.Above);
    }

    private void Remember(IReadOnlyList<JournalKey> keys)
    {
        List<JournalKey> added = [.. keys.Where(key => _history.Newest is not { } newest || key.Ordering > newest.Ordering)];
        if (added.Count == 0)
            return;
        var oldest = _history.Oldest ?? added[0];
        _history.Add(added);
        _isWhole &= _history.Oldest == oldest;
    }

    internal void Forget()
    {
        _history.Clear();
        _runs.Clear();
        _isWhole = true;
        (LooksBack, _stoodOn) = (null, null);
    }

    // A failover, or a crash of a server that does not wait for its disk, can lose the newest commits and not go back with the sequence: that is
    // logged 32 numbers ahead (SEQ_LOG_VALS in https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/commands/sequence.c), and
    // goes on above those that were lost. While a server runs it loses nothing that it had, and a run of it that answered before has not ended
    // since: sessions may name it as it was when they were opened. A standby may only be behind; it does not say what it issued.
    private JournalChange IsGone(KeysFound found)
    {
        if (found.Server is { } run && _stoodOn is { } stood && ServerOf(run) == ServerOf(stood) && _runs.Contains(run))
            _stoodOn = null;
        return _stoodOn is not null && found is { Server: not null, LastGivenOut: not null } ? JournalChange.ToBeExplained : JournalChange.None;
    }

    private static string ServerOf(string run) => run.Split('/')[0];

    private JournalChange GoBack(KeysFound found)
    {
        LooksBack = null;
        var last = _history.LastIn(found.Above);
        // What is older than the memory may be gone too, and nobody could tell what has come in its place.
        if (last is null && !_isWhole)
            return JournalChange.Rewound;
        context.Log.OrderingsReused(head.Read, last?.Ordering ?? 0);
        _history.CutAfter(last?.Ordering ?? 0);
        head.StepBack(last);
        ordered.StepBack(last?.Ordering ?? 0);
        return JournalChange.SteppedBack;
    }
}
