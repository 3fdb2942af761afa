namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>
/// Lanes read a journal through the feed while messages are lost, doubled and late, the feed restarts or exists twice, and lanes restart. Each lane
/// gets each event of its slices once, in order. When all is calm, each lane has caught up and is served by the feed.
/// </summary>
internal sealed class FeedSimulation
{
    private readonly SimulatedWorld _world;
    private readonly List<SimulatedFeed> _feeds = [];
    private readonly List<SimulatedLane> _lanes = [];

    internal FeedSimulation(int seed, FeedMistake mistake = FeedMistake.None)
    {
        _world = new(seed);
        _world.Append(_world.Random.Next(300));
        _feeds.Add(new(_world));
        var count = _world.Random.Next(1, 6);
        for (var lane = 0; lane < count; lane++)
            _lanes.Add(new(_world, $"lane-{lane}", Slices(), () => _feeds, mistake));
    }

    public override string ToString() =>
        $"{_world.Now}: {_world.Events.Count} events up to {_world.End}{Environment.NewLine}{string.Join(Environment.NewLine, _lanes)}";

    internal void Run()
    {
        for (var step = _world.Random.Next(10, 40); step > 0; step--)
        {
            Disturb();
            _world.RunUntil(() => false, TimeSpan.FromMilliseconds(_world.Random.Next(1, 3000)));
        }
        _world.IsCalm = true;
        Replace();
        Assert.True(_world.RunUntil(() => _lanes.TrueForAll(lane => lane.HasAll), TimeSpan.FromMinutes(2)), "Every lane gets every event.");
        Assert.True(_world.RunUntil(HaveCaughtUp, TimeSpan.FromMinutes(3)), "Every lane has caught up.");
        _world.Append(20);
        Assert.True(_world.RunUntil(() => _lanes.TrueForAll(lane => lane.HasAll) && HaveCaughtUp(), TimeSpan.FromMinutes(1)), "Every lane stays served.");
        ReadWithoutTheFeed();
    }

    // The lanes notice that the feed is gone. Then they ask every second and get no answer.
    private void ReadWithoutTheFeed()
    {
        _feeds.ForEach(feed => feed.Kill());
        _feeds.Clear();
        for (var round = 0; round < 5; round++)
        {
            _world.Append(20);
            _world.RunUntil(() => false, TimeSpan.FromSeconds(3));
        }
        Assert.True(_world.RunUntil(() => _lanes.TrueForAll(lane => lane.HasAll), TimeSpan.FromMinutes(1)), "Every lane gets every event without the feed.");
    }

    private bool HaveCaughtUp() => _lanes.TrueForAll(lane => !lane.IsReading && lane.Position == _world.End);

    private SliceRange Slices()
    {
        var first = _world.Random.Next(3) == 0 ? _world.Random.Next(JournalSlices.Count) : 0;
        return new(first, _world.Random.Next(first, JournalSlices.Count));
    }

    private void Disturb()
    {
        switch (_world.Random.Next(10))
        {
            case 0:
                Replace();
                break;
            case 1 when _feeds.Count == 1:
                _feeds.Add(new(_world));
                break;
            case 2 when _feeds.Count > 0:
                _feeds[0].Kill();
                _feeds.RemoveAt(0);
                break;
            case 3:
                _lanes[_world.Random.Next(_lanes.Count)].Restart();
                break;
            default:
                _world.Append(_world.Random.Next(60));
                break;
        }
    }

    private void Replace()
    {
        _feeds.ForEach(feed => feed.Kill());
        _feeds.Clear();
        _feeds.Add(new(_world));
    }
}
