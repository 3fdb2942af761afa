using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Ordering;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>
/// Compares the row at the tail's position with the row that was seen there. Most databases never issue an ordering twice. Another row there, or an
/// ordering that was not issued yet, therefore means another journal. If the database issues orderings of deleted newest rows again, the tail is
/// rewound to the newest row that still exists. On the loop.
/// </summary>
internal sealed class RewindDetector(JournalContext context, HighWaterMark highWaterMark, OrderedFollowers ordered)
{
    private const int Remembered = 1_000;

    private readonly KeyHistory _history = new(Remembered);
    private readonly HashSet<string> _runs = new(StringComparer.Ordinal);
    private bool _isWhole = true;

    // The run of the server that had the row at the position at the last poll. Null if the row is known to be deleted, or if this is not known.
    private string? _stoodOn;

    /// <summary>The request that finds the last row that is still the same as before.</summary>
    internal KeysRequest? RewindRequest { get; private set; }

    /// <summary>The first request of the key history. It runs before the start is reported.</summary>
    internal static KeysRequest HistoryRequest(JournalKey last) => new(Math.Max(0, last.Ordering - Remembered), [], int.MaxValue);

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

    /// <summary>Records that the row at the position was deleted, not lost. Its absence is ignored from now on.</summary>
    internal void WasDeleted() => _stoodOn = null;

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

    // A failover can lose the newest commits without setting the sequence back; so can a crash of a server that does not wait for its disk.
    // PostgreSQL logs the sequence 32 numbers ahead (SEQ_LOG_VALS in
    // https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/commands/sequence.c), so it continues above the lost numbers. A running
    // server loses no row that it had. If a run that answered before answers again, it has not ended meanwhile; sessions may report the run of the
    // time when they were opened. A standby may only be behind; it does not report the last issued ordering.
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
        // Rows older than the key history may be gone too, and their replacements could not be detected.
        if (last is null && !_isWhole)
            return RewindVerdict.Rewound;
        context.Log.OrderingsReused(highWaterMark.HighestSeen, last?.Ordering ?? 0);
        _history.CutAfter(last?.Ordering ?? 0);
        highWaterMark.RewindTo(last);
        ordered.RewindTo(last?.Ordering ?? 0);
        return RewindVerdict.TailRewound;
    }
}

/// <summary>The result of checking the tail's position.</summary>
internal enum RewindVerdict
{
    /// <summary>The journal is the same.</summary>
    None,

    /// <summary>The newest rows are gone. Another poll must find out how many.</summary>
    ToBeFound,

    /// <summary>The newest row is gone, on a server that did not answer before. Another statement must find out whether the row was deleted or lost.</summary>
    ToBeExplained,

    /// <summary>The tail was rewound to the newest row that still exists.</summary>
    TailRewound,

    /// <summary>It is not the same journal any more.</summary>
    Rewound,
}
