using Akka.Persistence.Query.Throttled.Cluster.Feed;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>One lane, without a feed that answers.</summary>
public sealed class FeedLaneTests
{
    private readonly RecordedPort _port = new();
    private readonly FeedLane _lane;
    private TimeSpan _now;

    public FeedLaneTests() => _lane = new("lane", 0, SliceRange.All, new(), _port) { Epoch = 1, Position = 10 };

    [Fact]
    public void A_lane_with_a_slow_reader_reads_on_while_the_feed_is_silent()
    {
        _lane.Demand(_now);
        Pass(seconds: 6);
        Assert.True(_lane.IsReading);
        for (var page = 1; page <= 5; page++)
        {
            Assert.Equal(page, _port.OwnDemands);
            _lane.OwnPage(10 + page);
            // The reader needs longer than the time after which the lane asks the feed again.
            Pass(seconds: 3);
            _lane.Demand(_now);
            Pass(seconds: 3);
        }
        Assert.True(_lane.IsFeedSilent);
    }

    [Fact]
    public void A_lane_whose_demands_are_answered_late_reads_on()
    {
        _lane.Demand(_now);
        Pass(seconds: 6);
        _lane.OwnPage(11);
        Pass(seconds: 3);
        _lane.Demand(_now);
        Assert.Equal(1, _port.OwnDemands);
        _now += TimeSpan.FromSeconds(1.1);
        _lane.Receive(new ReadYourself("lane", 0) { Epoch = _lane.Epoch, After = 11 }, _now);
        Assert.Equal(2, _port.OwnDemands);
    }

    private void Pass(int seconds)
    {
        for (var tick = 0; tick < 4 * seconds; tick++)
        {
            _now += TimeSpan.FromMilliseconds(250);
            _lane.Tick(_now);
        }
    }

    private sealed class RecordedPort : IFeedLanePort
    {
        internal int OwnDemands { get; private set; }

        public void Send(FeedMessage message)
        {
        }

        public void Deliver(IReadOnlyList<JournalEvent> events)
        {
        }

        public void Fetch(JournalEvent reference)
        {
        }

        public void OpenOwn(long after)
        {
        }

        public void DemandOwn() => OwnDemands++;

        public void ScanOwn()
        {
        }

        public void CloseOwn()
        {
        }
    }
}
