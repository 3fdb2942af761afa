using Throttled.Journal.Diagnostics;
using Throttled.Journal.Ordering;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Tail;

/// <summary>
/// One poll for the whole journal: it reads the keys of new events and fetches the rows that some follower wants. However many
/// queries follow, there is one statement an interval while nothing happens, and none while nobody follows. On the loop.
/// </summary>
internal sealed class JournalTail : IDisposable
{
    private readonly JournalContext _context;
    private readonly TailParts _parts;
    private readonly FollowerIndex<IByIdFollower> _followers = new();
    private readonly JournalHead _head;
    private readonly TailStart _start;
    private readonly TailRound _round;
    private readonly TailRuns _runs;
    private readonly TailReads _reads;
    private readonly TailPace _pace;
    private readonly StepBack _stepBack;
    private readonly StallWarning _stalls;
    private int _behind;
    private string? _server;

    internal JournalTail(JournalContext context, TailParts parts)
    {
        _context = context;
        _parts = parts;
        _head = new(GapPatience.Of(context.Options, context.Database.HasTriedEvidence));
        _start = new(_head);
        _stalls = new(context, parts.Reserved);
        Ordered = new(context, _head, parts.Budget);
        Ids = new(parts, IdsJoined, Left);
        _round = new(_followers, Ordered, Ids, context.Options.MaxRowsPerStatement);
        _pace = new(context, Look);
        _runs = new(context, parts, _pace) { Followers = () => FollowerCount, GaveUp = FailAll };
        _reads = new(context, parts, _runs);
        _stepBack = new(context, _head, Ordered);
    }

    /// <summary>The queries in journal order.</summary>
    internal OrderedFollowers Ordered { get; }

    /// <summary>The queries for persistence ids.</summary>
    internal KnownIds Ids { get; }

    /// <summary>
    /// Which of its starts the tail follows from; 0 while what was open at that start may still commit. Pages read while this stood at its
    /// present value, other than 0, and what the tail brings have no hole between them.
    /// </summary>
    internal int SettledEpoch => _start.SettledEpoch;

    /// <summary>Since when the high-water mark has been stalled; null where it is not.</summary>
    internal TimeSpan? HeadKeptBackSince => _head.Unsettled?.Since ?? _head.OldestGap?.Since;

    internal bool HasFollowers => FollowerCount > 0;

    private int FollowerCount => _followers.Count + Ordered.Count + Ids.Count;

    /// <summary>From now on the feed is notified of its keys.</summary>
    internal void Follow(IByIdFollower feed)
    {
        _followers.Add(feed);
        Joined();
    }

    internal void Unfollow(IByIdFollower feed)
    {
        _followers.Remove(feed);
        _start.Remove(feed);
        Left();
    }

    /// <summary>From now on the feed can read the high-water mark and subscribe.</summary>
    internal void Follow(IOrderedFollower feed)
    {
        if (!Ordered.Add(feed))
            return;
        if (feed.WantsEnd)
            Ordered.TellTheEnd(feed);
        if (FollowerCount == 1)
            Look();
        else if (feed.WantsEnd)
            Wake();
    }

    internal void Unfollow(IOrderedFollower feed)
    {
        Ordered.Remove(feed);
        Left();
    }

    /// <summary>Notifies the feed to read a page once <see cref="SettledEpoch"/> is not 0 any more.</summary>
    internal void TellWhenSettled(IByIdFollower feed) => _start.Add(feed);

    /// <summary>The journal can be read again.</summary>
    internal void CameUp(ServerFacts facts)
    {
        Ordered.Refusal = facts.OrderRefusal;
        Ordered.TagWarning = facts.TagWarning;
        _head.Increment = facts.Increment;
        _head.CollectAgain();
        if (_server is not null && _parts.Outage.Server != _server)
            Moved();
        _server = _parts.Outage.Server;
        Wake();
    }

    // Who follows has all that was seen. A page of this server may lack some of it, so none counts before the server has shown that it has all.
    private void Moved()
    {
        _start.Begin();
        _head.Move();
        _stalls.Forget();
        Ordered.Moved();
        _followers.All().ForEach(feed => feed.ForgetEnd());
    }

    /// <summary>The journal was written to: polls as soon as it may.</summary>
    internal void Wake()
    {
        _pace.Wake();
        if (!_runs.IsBusy && HasFollowers)
            _pace.Soon();
    }

    /// <summary>Ends all followers.</summary>
    internal void FailAll(Func<Exception> error)
    {
        foreach (var feed in _followers.All())
            feed.End(error());
        Ordered.FailAll(error);
        Ids.FailAll(error);
    }

    public void Dispose() => _pace.Dispose();

    private void Joined()
    {
        if (FollowerCount == 1)
            Look();
    }

    private void IdsJoined()
    {
        Joined();
        if (_head.HasBegun)
            Ids.Scan();
    }

    private void Left()
    {
        if (HasFollowers)
            return;
        _pace.Stop();
        _head.Forget();
        _stalls.Forget();
        _stepBack.Forget();
        Ordered.Forget();
        _start.Forget();
    }

    private void Look()
    {
        if (!HasFollowers)
            return;
        // Before what runs: whether the statement of a broken session still does, only a journal that is back can say.
        if (!_parts.Outage.IsUp)
        {
            _parts.Outage.Need();
            return;
        }
        if (_runs.IsBusy)
            return;
        _pace.Begin();
        Ordered.LookBegins();
        if (!_head.HasBegun)
            ReadAnchor();
        else
            ReadKeys(new KeysQuery(_head.Read, _head.Gaps, _parts.KeysPerLook)
            {
                WithHolders = _head.NeedsHolders,
                WithTags = Ordered.WantsTags,
                // Where the budget is exhausted, rows would stop the poll at the first.
                Rows = _round.WantsMost && !_parts.Budget.IsSpent ? new([], _parts.Budget) : null,
            });
    }

    private void ReadAnchor() => _reads.Anchor(Anchored, (query, found) =>
    {
        if (HasFollowers)
            _stepBack.Begin(query, found);
    });

    private void Anchored(TailAnchor anchor)
    {
        Ordered.Refuse(anchor.OrderRefusal);
        if (!HasFollowers || _runs.HasMoved)
        {
            LookNow();
            return;
        }
        _head.Begin(anchor, _context.Loop.Now);
        if (_runs.IsBetweenServers)
            _head.CollectAgain();
        _start.Begin();
        _behind = 0;
        Ids.Scan();
        if (_head.IsSettled)
            Settled();
        Ordered.SawTheEnd();
        EndRound(isNews: false, isWhole: true);
        Ordered.TellTheWaiting();
    }

    private void Settled()
    {
        _reads.TagHorizon(_head.Start);
        _start.Settled();
    }

    private void ReadKeys(KeysQuery query) => _reads.Keys(query, found => Found(query, found), _round.PreferKeys);

    private void Found(KeysQuery query, KeysFound found)
    {
        Ordered.Refuse(found.OrderRefusal);
        // It slept meanwhile, and what was seen is forgotten.
        if (!_head.HasBegun)
        {
            LookNow();
            return;
        }
        switch (_stepBack.Look(query, found))
        {
            case JournalChange.Rewound:
                Rewound();
                return;
            case JournalChange.ToBeFound:
                ReadKeys(_stepBack.LooksBack!);
                return;
            case JournalChange.ToBeExplained:
                _reads.Older(_head.Last!.Value, Explain);
                return;
            case JournalChange.SteppedBack:
                LookNow();
                return;
        }
        TakeIn(query, found);
        _behind = found.IsCut ? _behind + found.Above.Count : 0;
        if (_behind >= _context.Options.TailMaxLag || _head.IsToBeginAnew(_context.Loop.Now))
        {
            _context.Log.Jumped(_behind, _head.GapCount);
            StartAnew();
            return;
        }
        if (!found.IsCut)
            Ordered.SawTheEnd();
        Tell(query, found);
    }

    // Whoever deletes events of an id deletes them up to a sequence number: one that is gone while an older one stands was lost, and so was
    // the first of its id.
    private void Explain(bool isOlderThere)
    {
        // Nobody followed meanwhile, or another server answers: it says nothing.
        var isCurrent = _head.HasBegun && !_runs.HasMoved;
        if (isCurrent && (isOlderThere || _head.Last is { SequenceNumber: <= 1 }))
        {
            Rewound();
            return;
        }
        if (isCurrent)
            _stepBack.WasDeleted();
        LookNow();
    }

    private void TakeIn(KeysQuery query, KeysFound found)
    {
        var wasSettled = _head.IsSettled;
        _head.Looked(query, found, _context.Loop.Now, _runs.IsBetweenServers);
        _stepBack.Remember(found);
        _stalls.Look(_head);
        if (_head.IsSettled && !wasSettled)
        {
            Ids.Scan();
            Settled();
        }
    }

    private void Tell(KeysQuery query, KeysFound found)
    {
        var isNews = found.Late.Count > 0 || (found.Above.Count > 0 && found.Above[^1].Ordering > query.From);
        if (isNews && !query.WithTags)
            Ordered.MissedTags();
        var missing = _round.Tell(query.From, found, query.Rows);
        var rows = query.Rows?.Events ?? [];
        if (missing.Count > 0)
        {
            ReadRows(missing, rows);
            return;
        }
        _round.Offer(rows);
        EndRound(isNews || found.IsCut, isWhole: true);
    }

    private void ReadRows(List<long> orderings, IReadOnlyList<JournalEvent> others) => _reads.Rows(orderings, (rows, isWhole) =>
    {
        _round.Offer([.. others, .. rows]);
        // Followers that miss a row read a page, which says better than this what is wrong.
        EndRound(isNews: true, isWhole);
    });

    private void EndRound(bool isNews, bool isWhole)
    {
        _round.End(isWhole);
        // Who waits behind a gap that the next poll closes, or for the end, waits no longer than it must.
        if (HasFollowers)
            _pace.Next(isNews || _head.IsAboutToMove || Ordered.IsAskedForEnd);
    }

    private void LookNow()
    {
        if (HasFollowers)
            _pace.After(TimeSpan.Zero);
    }

    // All followers read pages; the tail goes on from the end of the journal.
    private void StartAnew()
    {
        _head.Pause();
        _stalls.Forget();
        _start.Forget();
        _context.Database.ForgetTagHorizon();
        Ordered.Missed();
        _followers.All().ForEach(feed => feed.ReadAgain());
        LookNow();
    }

    private void Rewound()
    {
        _context.Log.Rewound(_head.Read);
        _context.Database.ForgetTagHorizon();
        _parts.Rewound(_head.Read);
    }
}
