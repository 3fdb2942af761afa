using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Ordering;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>
/// Compares what stands at the tail's position with what was seen there. Most databases never give a number out again, so that another row
/// there, or a number that was not issued yet, means another journal. Where numbers of deleted newest rows come again, the tail goes
/// back (is rewound) to the newest row that is still there. On the loop.
/// </summary>
internal sealed class RewindDetector(JournalContext context, HighWaterMark highWaterMark, OrderedFollowers ordered)
{
    private const int Remembered = 1_000;

    private readonly KeyHistory _history = new(Remembered);
    private readonly HashSet<string> _runs = new(StringComparer.Ordinal);
    private bool _isWhole = true;

    // The run of the server on which the row at the position stood at the last poll; null where it is known to be deleted, or nobody knows.
    private string? _stoodOn;

    /// <summary>The request that finds out how far the journal still is the one that was seen.</summary>
    internal KeysRequest? RewindRequest { get; private set; }

    /// <summary>The request that begins the memory, which comes before anything is said about the journal.</summary>
    /// <param name="last">The highest key.</param>
    internal static KeysRequest HistoryRequest(JournalKey last) => new(Math.Max(0, last.Ordering - Remembered), [], int.MaxValue);

    /// <summary>Begins the memory.</summary>
    internal void Begin(KeysRequest request, KeysResult result)
    {
        Forget();
        _isWhole = request.From == 0;
        _history.Add(result.Above);
    }

    internal RewindVerdict Examine(KeysRequest request, KeysResult result)
    {
        if (highWaterMark.Last is not { } last)
            return RewindVerdict.None;
        var isThere = result.Above.Count > 0 && result.Above[0].Ordering == request.From;
        if (request == RewindRequest)
            return Rewind(result);
        if (isThere && result.Above[0] == last)
            return RewindVerdict.None;
        if (!context.Database.ReusesOrderings)
            return isThere || result.LastIssued < request.From ? RewindVerdict.Rewound : IsGone(result);
        RewindRequest = new(_history.Oldest?.Ordering ?? 0, [], int.MaxValue);
        return RewindVerdict.ToBeFound;
    }

    /// <summary>The row at the position was deleted: from now on it says nothing.</summary>
    internal void WasDeleted() => _stoodOn = null;

    /// <summary>Takes in what a poll found.</summary>
    internal void Remember(KeysResult result)
    {
        if (result.Above.Count > 0)
            _stoodOn = result.Server;
        if (result.Server is { } run)
            _runs.Add(run);
        if (context.Database.ReusesOrderings)
            Remember(result.Above);
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
        (RewindRequest, _stoodOn) = (null, null);
    }

    // A failover, or a crash of a server that does not wait for its disk, can lose the newest commits and not go back with the sequence: that is
    // logged 32 numbers ahead (SEQ_LOG_VALS in https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/commands/sequence.c), and
    // goes on above those that were lost. While a server runs it loses nothing that it had, and a run of it that answered before has not ended
    // since: sessions may name it as it was when they were opened. A standby may only be behind; it does not say what it issued.
    private RewindVerdict IsGone(KeysResult result)
    {
        if (result.Server is { } run && _stoodOn is { } stood && ServerOf(run) == ServerOf(stood) && _runs.Contains(run))
            _stoodOn = null;
        return _stoodOn is not null && result is { Server: not null, LastIssued: not null } ? RewindVerdict.ToBeExplained : RewindVerdict.None;
    }

    private static string ServerOf(string run) => run.Split('/')[0];

    private RewindVerdict Rewind(KeysResult result)
    {
        RewindRequest = null;
        var last = _history.LastIn(result.Above);
        // What is older than the memory may be gone too, and nobody could tell what has come in its place.
        if (last is null && !_isWhole)
            return RewindVerdict.Rewound;
        context.Log.OrderingsReused(highWaterMark.HighestSeen, last?.Ordering ?? 0);
        _history.CutAfter(last?.Ordering ?? 0);
        highWaterMark.RewindTo(last);
        ordered.RewindTo(last?.Ordering ?? 0);
        return RewindVerdict.TailRewound;
    }
}

/// <summary>What a poll of the tail's position says about the journal.</summary>
internal enum RewindVerdict
{
    /// <summary>It is the one that was seen before.</summary>
    None,

    /// <summary>Its newest rows are gone, and another poll has to find out how many.</summary>
    ToBeFound,

    /// <summary>Its newest row is gone on a server that was not there before, and another poll has to find out whether it was deleted or lost.</summary>
    ToBeExplained,

    /// <summary>The tail was rewound to the newest row that is still there.</summary>
    TailRewound,

    /// <summary>It is not the journal any more that was seen before.</summary>
    Rewound,
}
