using System.Diagnostics.CodeAnalysis;
using Throttled.Journal;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>One run of a query that gets its events from the feed: a lane. The lane's own query, if it has one, is of this node's journal.</summary>
[SuppressMessage("Reliability", "CA1001", Justification = "The cancellation source has no timer and no handle, and its token may be used after disposal.")]
internal sealed class FedFeed : IFeed<JournalEvent>, IScanningFeed, IFeedLanePort
{
    private readonly Lock _lock = new();
    private readonly CancellationTokenSource _closing = new();
    private readonly FeedLanes _lanes;
    private readonly FedShard _shard;
    private readonly OrderedQuery _query;
    private readonly IPageReader<JournalEvent> _reader;
    private readonly string _name;
    private readonly FeedLane _lane;
    private PageQuery? _own;
    private bool _isWaiting;
    private bool _isClosed;

    internal FedFeed(FeedLanes lanes, FedShard shard, OrderedQuery query, IPageReader<JournalEvent> reader)
    {
        (_lanes, _shard, _query, _reader, _name) = (lanes, shard, query, reader, lanes.NewName());
        _lane = new(_name, shard.Number, query.Filter.Slices, lanes.Context.LaneLimits, this) { Epoch = 1, Position = query.After };
    }

    internal bool IsReading
    {
        get
        {
            lock (_lock)
                return _lane.IsReading;
        }
    }

    internal bool IsFeedSilent
    {
        get
        {
            lock (_lock)
                return _lane.IsFeedSilent;
        }
    }

    internal int Buffered
    {
        get
        {
            lock (_lock)
                return _lane.Buffered;
        }
    }

    private TimeSpan Now => _lanes.Context.Now;

    public void Demand() => Demand(static (lane, _, now) => lane.Demand(now), null);

    public void DemandAfter(JournalEvent last) => Demand(static (lane, last, now) => lane.DemandAfter(last!.Ordering, now), last);

    public void Close(Exception? failure = null) => End(failure);

    public void ReportScanned(TaskCompletionSource<Scan?> answer)
    {
        lock (_lock)
        {
            if (_lane.IsReading && _own is { } own && _lane.IsDrained)
                own.ReportScanned(answer);
            else
                answer.TrySetResult(_lane.IsDrained && !_lane.IsReading ? new(_lane.Position, _lane.IsFollowing) : null);
        }
    }

    internal void Receive(FeedMessage message)
    {
        lock (_lock)
        {
            if (_isClosed)
                return;
            if (message is FeedBatch batch)
                _lane.Receive(batch, Now);
            else if (message is ReadYourself away)
                _lane.Receive(away, Now);
            else if (message is FeedRewound rewound)
                End(JournalRewoundException.Before(rewound.Ordering, _shard.Options.Shard));
        }
    }

    internal void Tick()
    {
        lock (_lock)
        {
            if (!_isClosed)
                _lane.Tick(Now);
        }
    }

    void IFeedLanePort.Send(FeedMessage message) => _lanes.Send(message);

    void IFeedLanePort.Deliver(IReadOnlyList<JournalEvent> events)
    {
        _isWaiting = false;
        _lanes.Context.Metrics.Received(events.Count);
        _reader.Receive(new([.. events], events.Sum(each => each.Bytes)));
    }

    void IFeedLanePort.Fetch(JournalEvent reference) => _ = FetchAsync(reference);

    void IFeedLanePort.OpenOwn(long after)
    {
        _own?.Close();
        _own = new(_shard.Inner.Events(_query with { After = after })) { Page = OwnPage, Scanned = OwnScanned, Ended = OwnEnded };
    }

    void IFeedLanePort.DemandOwn() => _own!.Demand();

    void IFeedLanePort.ScanOwn() => _own!.Scan();

    void IFeedLanePort.CloseOwn()
    {
        _own?.Close();
        _own = null;
    }

    private void Demand(Action<FeedLane, JournalEvent?, TimeSpan> demand, JournalEvent? last)
    {
        lock (_lock)
        {
            if (_isClosed)
            {
                _reader.Complete();
                return;
            }
            _lanes.Add(_name, this);
            _isWaiting = true;
            // Checked after the lane was added, so the end of the actor system finds the lane, or the lane finds the end.
            if (_lanes.Closed is { } closed)
                End(closed());
            else
                demand(_lane, last, Now);
        }
    }

    private void OwnPage(PageQuery query, Page<JournalEvent> page)
    {
        lock (_lock)
        {
            if (query != _own || _isClosed)
                return;
            _isWaiting = false;
            _lane.OwnPage(page[page.Count - 1]!.Ordering);
            _reader.Receive(page);
        }
    }

    private void OwnScanned(PageQuery query, Scan? scan)
    {
        lock (_lock)
        {
            if (query == _own && !_isClosed)
                _lane.OwnScanned(scan?.UpTo, Now);
        }
    }

    private void OwnEnded(PageQuery query, Exception? error)
    {
        lock (_lock)
        {
            if (query == _own)
                End(error);
        }
    }

    private async Task FetchAsync(JournalEvent reference)
    {
        try
        {
            JournalEvent? stored = null;
            var range = new SequenceRange(reference.SequenceNumber, reference.SequenceNumber);
            var events = _shard.Inner.Events(new ByIdQuery(reference.PersistenceId, range, IsLive: false));
            await foreach (var each in events.WithCancellation(_closing.Token).ConfigureAwait(false))
                stored = each;
            lock (_lock)
            {
                if (!_isClosed)
                    _lane.Fetched(reference.Ordering, stored, Now);
            }
        }
        catch (Exception error)
        {
            End(error);
        }
    }

    private void End(Exception? failure)
    {
        lock (_lock)
        {
            if (_isClosed)
                return;
            _isClosed = true;
            _lanes.Remove(_name);
            _lane.Close();
            if (_isWaiting && failure is not null)
                _reader.Fail(failure);
            else if (_isWaiting)
                _reader.Complete();
            _isWaiting = false;
        }
        // Callbacks run on another thread: they may run code of the journal, and the caller may hold the lock.
        _ = _closing.CancelAsync();
    }
}
