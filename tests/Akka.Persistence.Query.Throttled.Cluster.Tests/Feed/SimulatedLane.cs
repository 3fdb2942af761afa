using Akka.Persistence.Query.Throttled.Cluster.Feed;
using Throttled.Journal;

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
    private FeedLane _lane;
    private SimulatedQuery? _own;
    private long _stored;
    private int _run;

    internal SimulatedLane(SimulatedWorld world, string name, SliceRange slices, Func<IReadOnlyList<SimulatedFeed>> feeds)
    {
        (_world, _name, _slices, _feeds) = (world, name, slices, feeds);
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
            _lane.Receive(batch, _world.Now);
        else
            _lane.Receive((ReadYourself)message, _world.Now);
        Assert.InRange(_lane.Buffered, 0, Limits.Credit);
    }

    public void Send(FeedMessage message)
    {
        if (_feeds() is { Count: > 0 } feeds)
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
            if (count < events.Count)
                _lane.DemandAfter(last, _world.Now);
            else
                _lane.Demand(_world.Now);
        });
    }

    private JournalEvent? Expected(long after) =>
        _world.Events.Find(stored => stored.Ordering > after && _slices.Contains(JournalSlices.Of(stored.PersistenceId)));
}
