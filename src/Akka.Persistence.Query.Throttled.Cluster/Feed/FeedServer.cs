using Akka.Persistence.Query.Throttled.Cluster.Diagnostics;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>What the feed of one shard does to the world.</summary>
/// <typeparam name="TClient">Where a lane is.</typeparam>
internal interface IFeedServerPort<in TClient>
{
    void Send(TClient client, FeedMessage message);

    /// <summary>Opens the live query of the feed after an ordering; the query before it is closed.</summary>
    void OpenRead(long after);

    /// <summary>Requests the next page of the query.</summary>
    void ReadNext();

    /// <summary>Asks how far the query has scanned while it waits for events.</summary>
    void Scan();

    void CloseRead();
}

/// <summary>
/// The feed of one shard: reads its source once for all lanes. It reads on as soon as one lane has used up what was read, so the fastest lane sets
/// the pace. It stores nothing: a new feed learns where the lanes are from their demands. Has no clock and no thread of its own.
/// </summary>
internal sealed class FeedServer<TClient>(FeedLimits limits, IFeedServerPort<TClient> port)
{
    private static readonly TimeSpan FirstDelay = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MaxDelay = TimeSpan.FromSeconds(30);

    private readonly Dictionary<string, ServedLane> _lanes = new(StringComparer.Ordinal);

    // Lanes whose query must fail, until they have left. The message about it may be lost, so a lane that repeats its demand gets the message again.
    private readonly Dictionary<string, RewoundLane> _rewound = new(StringComparer.Ordinal);
    private FeedState _state;
    private FeedWindow? _window;
    private TimeSpan _due;
    private TimeSpan _delay = FirstDelay;
    private bool _isPageRequested;
    private bool _isFollowing;

    // When the feed was last at the end of the journal, and whether it has been there since the last tick.
    private TimeSpan _followedAt;
    private bool _wasFollowing;

    private enum FeedState
    {
        Idle,
        Collecting,
        Reading,
        Failed,
    }

    /// <summary>What the feed has done so far.</summary>
    internal FeedCounts Counts { get; private set; }

    internal FeedFigures Figures(TimeSpan now) => new()
    {
        Lanes = _lanes.Count,
        Demand = _lanes.Values.Where(lane => lane.IsWaiting).Sum(lane => (long)lane.Credit),
        Lag = _window is { } window
            ? _lanes.Values.Where(lane => !lane.IsReading && !IsBehind(lane)).Select(lane => window.Through - lane.Free).Append(0).Max()
            : 0,
        Age = _state == FeedState.Idle ? TimeSpan.Zero : now - _followedAt,
        WindowEvents = _window?.Count ?? 0,
        WindowBytes = _window?.Bytes ?? 0,
    };

    internal void Demand(FeedDemand demand, TClient client, TimeSpan now)
    {
        if (_rewound.TryGetValue(demand.Lane, out var rewound))
        {
            _rewound[demand.Lane] = rewound with { Client = client, SeenAt = now };
            port.Send(client, rewound.Message);
            return;
        }
        var known = _lanes.GetValueOrDefault(demand.Lane);
        if (known?.Epoch > demand.Epoch)
            return;
        var lane = known ?? (_lanes[demand.Lane] = new());
        lane.Accept(demand, client, now);
        if (_state == FeedState.Idle)
        {
            _followedAt = now;
            Collect(now);
        }
        else if (_state == FeedState.Failed)
            SendAwayFrom(lane);
        else if (_state == FeedState.Reading)
            Serve(lane);
        ReadOn();
    }

    internal void Leave(FeedLeave leave)
    {
        _rewound.Remove(leave.Lane);
        if (_lanes.GetValueOrDefault(leave.Lane)?.Epoch <= leave.Epoch)
            _lanes.Remove(leave.Lane);
    }

    /// <summary>A node has gone, with all of its lanes.</summary>
    internal void Leave(TClient client)
    {
        var equality = EqualityComparer<TClient>.Default;
        Forget(lane => equality.Equals(lane.Client, client), rewound => equality.Equals(rewound.Client, client));
    }

    /// <summary>Takes a page of the query.</summary>
    internal void Page(IReadOnlyList<JournalEvent> events)
    {
        (_isPageRequested, _delay) = (false, FirstDelay);
        Counts += new FeedCounts(events.Count, 0, 0);
        _window!.Append(events);
        foreach (var lane in _lanes.Values.Where(lane => lane.IsWaiting))
            Serve(lane);
        // Lanes that wait were offered everything, so only others can fall out of the window here.
        _window.Trim();
        ReadOn();
    }

    /// <summary>The query has delivered every event up to an ordering.</summary>
    internal void Scanned(long upTo, bool isFollowing)
    {
        _delay = FirstDelay;
        _window!.Pass(upTo);
        _isFollowing = isFollowing;
        _wasFollowing |= isFollowing;
    }

    /// <summary>The query failed. Lanes read for themselves until it works again.</summary>
    internal void ReadFailed(TimeSpan now)
    {
        (_state, _isPageRequested, _isFollowing) = (FeedState.Failed, false, false);
        _due = now + _delay;
        _delay = _delay * 2 < MaxDelay ? _delay * 2 : MaxDelay;
        foreach (var lane in _lanes.Values.Where(lane => lane.IsWaiting))
            SendAwayFrom(lane);
    }

    /// <summary>The journal went back: the query of every lane fails, and the feed begins anew.</summary>
    internal void Rewound(long ordering)
    {
        foreach (var (name, lane) in _lanes)
        {
            _rewound[name] = new(lane.Client, new(name, lane.Shard) { Ordering = ordering }, lane.SeenAt);
            port.Send(lane.Client, _rewound[name].Message);
        }
        _lanes.Clear();
        Close();
    }

    internal void Tick(TimeSpan now)
    {
        if (_wasFollowing || _state == FeedState.Idle)
            (_wasFollowing, _followedAt) = (false, now);
        Forget(lane => now - lane.SeenAt >= limits.LaneTimeout, rewound => now - rewound.SeenAt >= limits.LaneTimeout);
        if (_lanes.Count == 0 && _state != FeedState.Idle)
            Close();
        else if (_state == FeedState.Collecting && now >= _due)
            Begin();
        else if (_state == FeedState.Failed && now >= _due)
            ReadAgain();
        else if (_state == FeedState.Reading)
            Watch(now);
        ReadOn();
    }

    private void Forget(Predicate<ServedLane> isLane, Predicate<RewoundLane> isRewound)
    {
        // A dictionary may lose entries while it is enumerated.
        foreach (var (name, lane) in _lanes)
        {
            if (isLane(lane))
                _lanes.Remove(name);
        }
        foreach (var (name, rewound) in _rewound)
        {
            if (isRewound(rewound))
                _rewound.Remove(name);
        }
    }

    private void Collect(TimeSpan now) => (_state, _due) = (FeedState.Collecting, now + limits.CollectTime);

    // A lane that is far behind the others must not make them wait.
    private void Begin()
    {
        var highest = _lanes.Values.Max(lane => lane.After);
        _window = new(limits, _lanes.Values.Where(lane => lane.After >= highest - limits.Lead).Min(lane => lane.After));
        ReadAgain();
        foreach (var lane in _lanes.Values.Where(lane => lane.IsWaiting))
            Serve(lane);
    }

    private void ReadAgain()
    {
        _state = FeedState.Reading;
        port.OpenRead(_window!.Through);
    }

    private void Close()
    {
        (_state, _window, _isPageRequested, _isFollowing) = (FeedState.Idle, null, false, false);
        port.CloseRead();
    }

    private void Watch(TimeSpan now)
    {
        if (!IsInTheRightPlace)
        {
            Close();
            Collect(now);
            return;
        }
        foreach (var lane in _lanes.Values.Where(lane => lane.IsWaiting))
        {
            lane.Free = Math.Max(lane.Free, _window!.Through);
            if (lane.Free > lane.After)
                Answer(lane);
        }
        if (_isPageRequested)
            port.Scan();
    }

    private void ReadOn()
    {
        if (_state != FeedState.Reading || _isPageRequested || !_lanes.Values.Any(lane => lane.IsWaiting))
            return;
        _isPageRequested = true;
        port.ReadNext();
    }

    // Of the lanes that are not behind, the feed can serve at least half from here. Otherwise a lane that replays the journal would keep the feed from
    // the lanes that have caught up.
    private bool IsInTheRightPlace
    {
        get
        {
            var ahead = _lanes.Values.Count(IsFarAhead);
            var near = _lanes.Values.Count(lane => !IsBehind(lane)) - ahead;
            return near > 0 && near >= ahead;
        }
    }

    private bool IsBehind(ServedLane lane) => lane.Free < _window!.From;

    private bool IsFarAhead(ServedLane lane) => lane.After - _window!.Through > limits.Lead;

    private void Serve(ServedLane lane)
    {
        if (IsBehind(lane) || IsFarAhead(lane) || (lane.IsReading && !_window!.IsNearEnd(lane.Free)))
        {
            SendAwayFrom(lane);
            return;
        }
        var frames = FeedFrames.Cut(limits, Batch(lane), _window!.After(lane.Free, lane.Slices), lane.Credit, Math.Max(lane.After, _window.Through));
        foreach (var frame in frames)
        {
            port.Send(lane.Client, frame);
            Counts += new FeedCounts(0, frame.Events.Count, 0);
        }
        if (frames.Count > 0)
        {
            lane.IsWaiting = false;
            return;
        }
        lane.Free = Math.Max(lane.Free, _window.Through);
        if (lane.IsReading || lane.IsRepeating)
            Answer(lane);
    }

    // Without events: tells the lane that the feed is there, and where the lane is. If nothing has changed, the demand stays open.
    private void Answer(ServedLane lane)
    {
        port.Send(lane.Client, Batch(lane) with { Through = lane.Free });
        (lane.IsReading, lane.IsRepeating) = (false, false);
        lane.IsWaiting = lane.Free == lane.After;
    }

    private void SendAwayFrom(ServedLane lane)
    {
        lane.IsWaiting = false;
        Counts += new FeedCounts(0, 0, 1);
        port.Send(lane.Client, new ReadYourself(lane.Name, lane.Shard) { Epoch = lane.Epoch, After = lane.After });
    }

    private FeedBatch Batch(ServedLane lane) =>
        new(lane.Name, lane.Shard) { Epoch = lane.Epoch, After = lane.After, Through = lane.After, IsFollowing = _isFollowing };

    private readonly record struct RewoundLane(TClient Client, FeedRewound Message, TimeSpan SeenAt);

    private sealed class ServedLane
    {
        internal string Name { get; private set; } = "";

        internal int Shard { get; private set; }

        internal TClient Client { get; private set; } = default!;

        internal long Epoch { get; private set; }

        internal long After { get; private set; }

        /// <summary>The feed has seen no event of the lane above <see cref="After"/>, up to this ordering.</summary>
        internal long Free { get; set; }

        internal int Credit { get; private set; }

        internal SliceRange Slices { get; private set; }

        internal TimeSpan SeenAt { get; private set; }

        internal bool IsReading { get; set; }

        /// <summary>Whether the last demand is not answered yet.</summary>
        internal bool IsWaiting { get; set; }

        /// <summary>Whether the lane repeated a demand that is not answered yet: it wants to know whether the feed is there.</summary>
        internal bool IsRepeating { get; set; }

        internal void Accept(FeedDemand demand, TClient client, TimeSpan now)
        {
            var isSame = Name.Length > 0 && Epoch == demand.Epoch && After == demand.After && Slices == demand.Slices;
            IsRepeating = isSame && IsWaiting;
            Free = isSame ? Free : demand.After;
            (Name, Shard, Client, SeenAt) = (demand.Lane, demand.Shard, client, now);
            (Epoch, After, Credit, Slices, IsReading) = (demand.Epoch, demand.After, Math.Max(1, demand.Credit), demand.Slices, demand.IsReading);
            IsWaiting = true;
        }
    }
}
