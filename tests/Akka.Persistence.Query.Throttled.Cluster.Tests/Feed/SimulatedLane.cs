using Akka.Persistence.Query.Throttled.Cluster.Feed;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>A lane with a reader that stores how far it has come. It restarts from there.</summary>
internal sealed class SimulatedLane : IFeedLanePort
{
    private static readonly FeedLaneLimits Limits = new() { Credit = 40 };

    private readonly SimulatedWorld _world;
    private readonly string _name;
    private readonly SliceRange _slices;
    private readonly Func<IReadOnlyList<SimulatedFeed>> _feeds;
    private readonly int _pause;
    private readonly FeedMistake _mistake;
    private FeedLane _lane;
    private SimulatedQuery? _own;
    private long _stored;
    private int _run;

    internal SimulatedLane(SimulatedWorld world, string name, SliceRange slices, Func<IReadOnlyList<SimulatedFeed>> feeds, FeedMistake mistake)
    {
        (_world, _name, _slices, _feeds, _mistake) = (world, name, slices, feeds, mistake);
        _pause = world.Random.Next(4) == 0 ? world.Random.Next(500, 5000) : world.Random.Next(1, 20);
        _lane = NewLane();
        Begin();
    }

    internal bool IsReading => _lane.IsReading;

    internal bool HasAll => Expected(_stored) is null;

    internal long Position => _lane.Position;

    public override string ToString() =>
        $"{_name} {_slices}: stored {_stored}, at {_lane.Position}, epoch {_lane.Epoch}{(_lane.IsReading ? ", reads for itself" : "")}, {_lane.Buffered} buffered";

    internal void Restart()
    {
        CloseOwn();
        if (_world.Happens(0.5))
            _lane.Close();
        _lane = NewLane();
        Begin();
    }

    internal void Receive(FeedMessage message)
    {
        if (message is FeedBatch batch)
            _lane.Receive(Mistaken(batch), _world.Now);
        else if (_mistake == FeedMistake.BehindTheWindow && message is ReadYourself away)
            _lane.Receive(new FeedBatch(_name, 0) { Epoch = away.Epoch, After = away.After, Through = Math.Max(away.After, _world.End) }, _world.Now);
        else
            _lane.Receive((ReadYourself)message, _world.Now);
        Assert.InRange(_lane.Buffered, 0, Limits.Credit);
    }

    public void Send(FeedMessage message)
    {
        if (_feeds() is { Count: > 0 } feeds && !(_mistake == FeedMistake.NeverAsks && message is FeedDemand { IsReading: true }))
        {
            var feed = feeds[_world.Random.Next(feeds.Count)];
            _world.Send(() => feed.Receive(message, this));
        }
    }

    public void Deliver(IReadOnlyList<JournalEvent> events) => Read(events);

    public void Fetch(JournalEvent reference)
    {
        var lane = _lane;
        _world.Soon(() =>
        {
            if (lane == _lane)
                lane.Fetched(reference.Ordering, _world.Events.Find(stored => stored.Ordering == reference.Ordering), _world.Now);
        });
    }

    public void OpenOwn(long after)
    {
        CloseOwn();
        _own = new(_world, after, _slices) { Page = OwnPage, Scanned = upTo => _lane.OwnScanned(upTo, _world.Now) };
    }

    public void DemandOwn() => _own!.Demand();

    public void ScanOwn() => _own!.Scan();

    public void CloseOwn() => _own?.Close();

    private FeedLane NewLane() => new(_name, 0, _slices, Limits, this) { Epoch = _world.Now.Ticks, Position = _stored };

    private void Begin()
    {
        var run = ++_run;
        _world.Soon(() => _lane.Demand(_world.Now));
        Tick(run);
    }

    private void Tick(int run)
    {
        if (run != _run)
            return;
        _lane.Tick(_world.Now);
        _world.After(250, () => Tick(run));
    }

    private void OwnPage(IReadOnlyList<JournalEvent> events)
    {
        _lane.OwnPage(events[^1].Ordering);
        Read(events);
    }

    // The reader may lose the rest of its page, and asks for it again.
    private void Read(IReadOnlyList<JournalEvent> events)
    {
        var (run, count) = (_run, _world.Happens(0.1) ? _world.Random.Next(1, events.Count + 1) : events.Count);
        foreach (var stored in events.Take(count))
        {
            Assert.Equal(Expected(_stored)?.Ordering, stored.Ordering);
            Assert.Equal(Expected(_stored)!.Payload.Length, stored.Payload.Length);
            _stored = stored.Ordering;
        }
        var last = _stored;
        _world.After(_world.IsCalm ? 1 : _world.Random.Next(1, _pause + 1), () =>
        {
            if (run != _run)
                return;
            if (count < events.Count && _mistake != FeedMistake.LosesItsPage)
                _lane.DemandAfter(last, _world.Now);
            else
                _lane.Demand(_world.Now);
        });
    }

    private FeedBatch Mistaken(FeedBatch batch) => _mistake switch
    {
        FeedMistake.AnyPosition => batch with { After = _lane.Position },
        FeedMistake.AnyEpoch => batch with { Epoch = _lane.Epoch },
        FeedMistake.TruncatedToTheEnd when batch is { IsLast: true, Events.Count: > 0 } => batch with { Through = _world.End },
        _ => batch,
    };

    private JournalEvent? Expected(long after) =>
        _world.Events.Find(stored => stored.Ordering > after && _slices.Contains(JournalSlices.Of(stored.PersistenceId)));
}

/// <summary>A mistake that a simulation makes, to show that it is found.</summary>
public enum FeedMistake
{
    None,

    /// <summary>A lane takes a batch that begins elsewhere.</summary>
    AnyPosition,

    /// <summary>A lane takes a batch of an older epoch.</summary>
    AnyEpoch,

    /// <summary>A batch that was cut off claims to reach the end.</summary>
    TruncatedToTheEnd,

    /// <summary>The feed moves a lane on that is behind its window.</summary>
    BehindTheWindow,

    /// <summary>A lane that reads for itself never asks to come back.</summary>
    NeverAsks,

    /// <summary>A lane that has lost the rest of its page continues behind it.</summary>
    LosesItsPage,
}
