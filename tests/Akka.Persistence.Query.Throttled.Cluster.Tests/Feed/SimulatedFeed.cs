using Akka.Persistence.Query.Throttled.Cluster.Feed;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>One instance of the feed, on one node.</summary>
internal sealed class SimulatedFeed : IFeedServerPort<SimulatedLane>
{
    internal static readonly FeedLimits Limits = new() { WindowEvents = 60, WindowBytes = 20_000, FrameBytes = 700, FramesPerDemand = 3, Lead = 100 };

    private readonly SimulatedWorld _world;
    private readonly FeedServer<SimulatedLane> _server;
    private SimulatedQuery? _query;
    private bool _isDead;

    internal SimulatedFeed(SimulatedWorld world)
    {
        _world = world;
        _server = new(Limits, this);
        Tick();
    }

    internal void Kill()
    {
        _isDead = true;
        CloseRead();
    }

    internal void Receive(FeedMessage message, SimulatedLane from)
    {
        if (_isDead)
            return;
        if (message is FeedDemand demand)
            _server.Demand(demand, from, _world.Now);
        else
            _server.Leave((FeedLeave)message);
        var figures = _server.Figures(_world.Now);
        Assert.InRange(figures.WindowEvents, 0, Limits.WindowEvents);
        Assert.InRange(figures.WindowBytes, 0, Limits.WindowBytes);
    }

    void IFeedServerPort<SimulatedLane>.Send(SimulatedLane client, FeedMessage message)
    {
        if (message is FeedBatch batch)
            Assert.True(batch.Events.Count <= 1 || batch.Events.Where(each => !each.IsReference).Sum(each => FeedFrames.BytesOf(each.Stored)) <= Limits.FrameBytes);
        _world.Send(() => client.Receive(message));
    }

    public void OpenRead(long after)
    {
        CloseRead();
        _query = new(_world, after, SliceRange.All) { Page = _server.Page, Scanned = upTo => _server.Scanned(upTo, isFollowing: true), Failed = Failed, Faults = 0.02 };
    }

    public void ReadNext() => _query!.Demand();

    public void Scan() => _query!.Scan();

    public void CloseRead() => _query?.Close();

    private void Failed() => _server.ReadFailed(_world.Now);

    private void Tick()
    {
        if (_isDead)
            return;
        _server.Tick(_world.Now);
        _world.After(250, Tick);
    }
}
