using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Ordering;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>
/// Polls for all live queries of a journal: it reads the keys of new events and then the rows that followers want. Independent of the number of
/// queries, it runs one statement per interval while nothing happens, and none without followers. On the loop.
/// </summary>
internal sealed class JournalTail : IDisposable
{
    private readonly JournalContext _context;
    private readonly TailContext _tailContext;
    private readonly FollowerIndex<IByIdFollower> _followers = new();
    private readonly HighWaterMark _highWaterMark;
    private readonly TailEpoch _epoch;
    private readonly PollRound _round;
    private readonly TailExecutor _executor;
    private readonly TailReads _reads;
    private readonly PollSchedule _schedule;
    private readonly RewindDetector _rewindDetector;
    private readonly StallWarning _stalls;
    private int _lag;
    private string? _server;

    internal JournalTail(JournalContext context, TailContext tailContext)
    {
        _context = context;
        _tailContext = tailContext;
        _highWaterMark = new(GapPolicy.Of(context.Options, context.Database.HasTriedEvidence));
        _epoch = new(_highWaterMark);
        _stalls = new(context, tailContext.Reserved);
        Ordered = new(context, _highWaterMark, tailContext.Budget);
        Ids = new(tailContext, IdsFollowerAdded, FollowerRemoved);
        _round = new(_followers, Ordered, Ids, context.Options.MaxRowsPerStatement);
        _schedule = new(context, Poll);
        _executor = new(context, tailContext, _schedule) { Followers = () => FollowerCount, Unrecoverable = FailAll };
        _reads = new(context, tailContext, _executor);
        _rewindDetector = new(context, _highWaterMark, Ordered);
    }

    internal OrderedFollowers Ordered { get; }

    internal PersistenceIdList Ids { get; }

    /// <summary>
    /// The number of the tail's current start; 0 while transactions that were open at that start may still commit. A page that was read while this had
    /// its current value, above 0, and the later rows of the tail together contain every event.
    /// </summary>
    internal int SettledEpoch => _epoch.SettledEpoch;

    /// <summary>When the high-water mark stalled; null if it is not stalled.</summary>
    internal TimeSpan? HighWaterMarkStalledSince => _highWaterMark.StalledSince;

    internal bool HasFollowers => FollowerCount > 0;

    internal void Observe(JournalGauges gauges) =>
        gauges.SetHighWaterMark(_highWaterMark.Value, _highWaterMark.GapCount, _highWaterMark.ConfirmedAt, HighWaterMarkStalledSince);

    private int FollowerCount => _followers.Count + Ordered.Count + Ids.Count;

    internal void Follow(IByIdFollower feed)
    {
        _followers.Add(feed);
        FollowerAdded();
    }

    internal void Unfollow(IByIdFollower feed)
    {
        _followers.Remove(feed);
        _epoch.Remove(feed);
        FollowerRemoved();
    }

    /// <summary>Adds a feed in journal order. It can then read the high-water mark and subscribe.</summary>
    internal void Follow(IOrderedFollower feed)
    {
        if (!Ordered.Add(feed))
            return;
        if (feed.WantsEnd)
            Ordered.NotifyOfEnd(feed);
        if (FollowerCount == 1)
            Poll();
        else if (feed.WantsEnd)
            Wake();
    }

    internal void Unfollow(IOrderedFollower feed)
    {
        Ordered.Remove(feed);
        FollowerRemoved();
    }

    /// <summary>Makes the feed read a page when <see cref="SettledEpoch"/> becomes non-zero.</summary>
    internal void NotifyWhenSettled(IByIdFollower feed) => _epoch.Add(feed);

    /// <summary>Call this when the journal can be read again.</summary>
    internal void Recovered(ProbeResult result)
    {
        Ordered.Refusal = result.OrderRefusal;
        Ordered.TagWarning = result.TagWarning;
        _highWaterMark.Increment = result.Increment;
        _highWaterMark.CollectAgain();
        if (_server is not null && _tailContext.Breaker.Server != _server)
            Moved();
        _server = _tailContext.Breaker.Server;
        Wake();
    }

    // The followers have all events seen so far. A page of the new server may lack some of them. So pages do not count until the server has shown
    // that it has all.
    private void Moved()
    {
        _epoch.Begin();
        _highWaterMark.Move();
        _stalls.Forget();
        Ordered.Moved();
        _followers.All().ForEach(feed => feed.ForgetEnd());
    }

    /// <summary>Polls as soon as the least interval allows, because the journal was written to.</summary>
    internal void Wake()
    {
        _schedule.Wake();
        if (!_executor.IsBusy && HasFollowers)
            _schedule.Soon();
    }

    internal void FailAll(Func<Exception> error)
    {
        foreach (var feed in _followers.All())
            feed.End(error());
        Ordered.FailAll(error);
        Ids.FailAll(error);
    }

    public void Dispose() => _schedule.Dispose();

    private void FollowerAdded()
    {
        if (FollowerCount == 1)
            Poll();
    }

    private void IdsFollowerAdded()
    {
        FollowerAdded();
        if (_highWaterMark.HasBegun)
            Ids.Scan();
    }

    private void FollowerRemoved()
    {
        if (HasFollowers)
            return;
        _schedule.Stop();
        _highWaterMark.Forget();
        _stalls.Forget();
        _rewindDetector.Forget();
        Ordered.Forget();
        _epoch.Forget();
    }

    private void Poll()
    {
        if (!HasFollowers)
            return;
        // Check this before IsBusy. The tail may be busy because of a broken session; the server can only be queried about it after a probe.
        if (!_tailContext.Breaker.IsAvailable)
        {
            _tailContext.Breaker.RequestProbe();
            return;
        }
        if (_executor.IsBusy)
            return;
        _schedule.Begin();
        Ordered.PollBegins();
        if (!_highWaterMark.HasBegun)
            ReadStart();
        else
            ReadKeys(new KeysRequest(_highWaterMark.HighestSeen, _highWaterMark.Gaps, _tailContext.KeysPerPoll)
            {
                WithOpenTransactions = _highWaterMark.NeedsOpenTransactions,
                OnlyForGaps = _highWaterMark.IsSettled,
                WithTags = Ordered.WantsTags,
                // If the budget is exhausted, the poll would stop at the first row, so read keys only.
                Rows = _round.WantsMost && !_tailContext.Budget.IsExhausted ? new([], _tailContext.Budget) : null,
            });
    }

    private void ReadStart() => _reads.Start(StartRead, (request, result) =>
    {
        if (HasFollowers)
            _rewindDetector.Begin(request, result);
    });

    private void StartRead(TailStart start)
    {
        Ordered.Refuse(start.OrderRefusal);
        if (!HasFollowers || _executor.HasMoved)
        {
            PollNow();
            return;
        }
        _highWaterMark.Begin(start, _context.Loop.Now);
        if (_executor.IsBetweenServers)
            _highWaterMark.CollectAgain();
        _epoch.Begin();
        _lag = 0;
        Ids.Scan();
        if (_highWaterMark.IsSettled)
            Settled();
        Ordered.ObserveEnd();
        EndRound(isNew: false, isWhole: true);
        Ordered.NotifyWaiting();
    }

    private void Settled()
    {
        _reads.TagHorizon(_highWaterMark.Start);
        _epoch.Settled();
    }

    private void ReadKeys(KeysRequest request) => _reads.Keys(request, result => KeysRead(request, result), _round.PreferKeys);

    private void KeysRead(KeysRequest request, KeysResult result)
    {
        Ordered.Refuse(result.OrderRefusal);
        // The tail had no followers meanwhile and has forgotten what it saw.
        if (!_highWaterMark.HasBegun)
        {
            PollNow();
            return;
        }
        switch (_rewindDetector.Examine(request, result))
        {
            case RewindVerdict.Rewound:
                Rewound();
                return;
            case RewindVerdict.ToBeFound:
                ReadKeys(_rewindDetector.RewindRequest!);
                return;
            case RewindVerdict.ToBeExplained:
                _reads.Older(_highWaterMark.Last!.Value, Explain);
                return;
            case RewindVerdict.TailRewound:
                PollNow();
                return;
        }
        TakeIn(request, result);
        _lag = result.IsTruncated ? _lag + result.Above.Count : 0;
        if (_lag >= _context.Options.TailMaxLag || _highWaterMark.IsToBeginAnew(_context.Loop.Now))
        {
            _context.Log.TailJumped(_lag, _highWaterMark.GapCount);
            StartAnew();
            return;
        }
        if (!result.IsTruncated)
            Ordered.ObserveEnd();
        Notify(request, result);
    }

    // Events of a persistence id are deleted up to a sequence number. If the row is gone but an older one exists, it was lost, not deleted. The same
    // is true for the first event of an id.
    private void Explain(bool isOlderThere)
    {
        // If all followers left or another server answers, the result is not valid.
        var isCurrent = _highWaterMark.HasBegun && !_executor.HasMoved;
        if (isCurrent && (isOlderThere || _highWaterMark.Last is { SequenceNumber: <= 1 }))
        {
            Rewound();
            return;
        }
        if (isCurrent)
            _rewindDetector.WasDeleted();
        PollNow();
    }

    private void TakeIn(KeysRequest request, KeysResult result)
    {
        var wasSettled = _highWaterMark.IsSettled;
        _highWaterMark.Observe(request, result, _context.Loop.Now, _executor.IsBetweenServers);
        _rewindDetector.Remember(result);
        _stalls.Observe(_highWaterMark);
        if (_highWaterMark.IsSettled && !wasSettled)
        {
            Ids.Scan();
            Settled();
        }
    }

    private void Notify(KeysRequest request, KeysResult result)
    {
        var isNew = result.Late.Count > 0 || (result.Above.Count > 0 && result.Above[^1].Ordering > request.From);
        if (isNew && !request.WithTags)
            Ordered.MissedTags();
        var missing = _round.Notify(request.From, result, request.Rows);
        var rows = request.Rows?.Events ?? [];
        if (missing.Count > 0)
        {
            ReadRows(missing, rows);
            return;
        }
        _round.Offer(rows);
        EndRound(isNew || result.IsTruncated, isWhole: true);
    }

    private void ReadRows(List<long> orderings, IReadOnlyList<JournalEvent> others) => _reads.Rows(orderings, (rows, isWhole) =>
    {
        _round.Offer([.. others, .. rows]);
        // Followers that miss a row read a page; its error describes the problem better.
        EndRound(isNew: true, isWhole);
    });

    private void EndRound(bool isNew, bool isWhole)
    {
        _round.End(isWhole);
        // Poll soon if queries wait for the journal end or for a gap that the next poll closes.
        if (HasFollowers)
            _schedule.Next(isNew || _highWaterMark.IsAboutToMove || Ordered.IsEndRequested);
    }

    private void PollNow()
    {
        if (HasFollowers)
            _schedule.After(TimeSpan.Zero);
    }

    // All followers read pages; the tail continues from the end of the journal.
    private void StartAnew()
    {
        _highWaterMark.Pause();
        _stalls.Forget();
        _epoch.Forget();
        _context.Database.ForgetTagHorizon();
        Ordered.Missed();
        _followers.All().ForEach(feed => feed.ReadAgain());
        PollNow();
    }

    private void Rewound()
    {
        _context.Log.Rewound(_highWaterMark.HighestSeen);
        _context.Database.ForgetTagHorizon();
        _tailContext.Rewound(_highWaterMark.HighestSeen);
    }
}
