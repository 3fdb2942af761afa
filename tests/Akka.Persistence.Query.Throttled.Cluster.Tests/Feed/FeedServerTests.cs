using Akka.Persistence.Query.Throttled.Cluster.Feed;
using Akka.Persistence.Query.Throttled.Cluster.Diagnostics;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>The feed of one shard, without a cluster and a journal.</summary>
public sealed class FeedServerTests
{
    private readonly RecordedPort _port = new();
    private readonly FeedServer<string> _server;

    public FeedServerTests() => _server = new(new(), _port);

    [Fact]
    public void A_lane_that_lost_the_message_of_a_rewind_gets_it_again()
    {
        Demand(TimeSpan.Zero);
        _server.Rewound(50);
        Assert.Single(_port.Sent);
        // The message was lost, so the lane repeats its demand. Its position is above the new end of the journal.
        Demand(TimeSpan.FromSeconds(1));
        Demand(TimeSpan.FromSeconds(2));
        Assert.All(_port.Sent, message => Assert.Equal(new FeedRewound("lane", 0) { Ordering = 50 }, message));
        Assert.Equal(3, _port.Sent.Count);
        Assert.Equal(0, _port.Reads);
    }

    [Fact]
    public void Lanes_of_a_rewind_are_forgotten_with_their_node_or_when_they_are_silent()
    {
        Demand(TimeSpan.Zero);
        _server.Rewound(50);
        _server.Leave("client");
        Demand(TimeSpan.FromSeconds(1));
        Assert.Equal(1, _server.Figures(default).Lanes);
        _server.Rewound(50);
        _server.Tick(TimeSpan.FromMinutes(2));
        Demand(TimeSpan.FromMinutes(2));
        Assert.Equal(1, _server.Figures(default).Lanes);
        Assert.All(_port.Sent, message => Assert.IsType<FeedRewound>(message));
        Assert.Equal(2, _port.Sent.Count);
    }

    [Fact]
    public void The_age_begins_with_the_first_demand_of_a_feed_that_starts_late()
    {
        // The node has run for an hour when the feed moves to it, and lanes ask before the feed's first tick.
        var start = TimeSpan.FromHours(1);
        Demand(start);
        _server.Tick(start + TimeSpan.FromSeconds(1));
        Assert.Equal(TimeSpan.FromSeconds(1), _server.Figures(start + TimeSpan.FromSeconds(1)).Age);
    }

    [Fact]
    public void A_new_lane_reads_after_a_rewind()
    {
        Demand(TimeSpan.Zero);
        _server.Rewound(50);
        Demand(TimeSpan.FromSeconds(1), "another");
        _server.Tick(TimeSpan.FromSeconds(4));
        Assert.Equal(1, _port.Reads);
    }

    [Fact]
    public void The_figures_say_what_the_feed_reads_sends_and_owes()
    {
        Assert.Equal(new FeedFigures(), _server.Figures(TimeSpan.FromHours(1)));
        Demand(TimeSpan.Zero);
        Demand(TimeSpan.Zero, "slow");
        _server.Tick(TimeSpan.FromSeconds(2));
        Assert.Equal((2, 20L, 0L), (_server.Figures(default).Lanes, _server.Figures(default).Demand, _server.Figures(default).Lag));
        _server.Page([.. Enumerable.Range(41, 25).Select(Event)]);
        Demand(TimeSpan.FromSeconds(3), after: 50);
        Demand(TimeSpan.FromSeconds(3), after: 60);
        var figures = _server.Figures(TimeSpan.FromSeconds(5));
        // One lane has all but 5 of its 10, the other one has not asked again.
        Assert.Equal((2, 25L, 0L), (figures.Lanes, figures.Lag, figures.Demand));
        Assert.Equal((25L, TimeSpan.FromSeconds(5)), (figures.WindowEvents, figures.Age));
        Assert.Equal(new FeedCounts(25, 35, 0), _server.Counts);
        _server.Scanned(70, isFollowing: true);
        _server.Tick(TimeSpan.FromSeconds(6));
        Assert.Equal(TimeSpan.FromSeconds(1), _server.Figures(TimeSpan.FromSeconds(7)).Age);
    }

    [Fact]
    public void A_lane_is_level_only_when_it_has_everything()
    {
        Demand(TimeSpan.Zero);
        _server.Tick(TimeSpan.FromSeconds(2));
        _server.Scanned(40, isFollowing: true);
        _server.Page([.. Enumerable.Range(41, 15).Select(Event)]);
        Demand(TimeSpan.FromSeconds(3), after: 50);
        Assert.Equal([(50L, false), (55L, true)], _port.Sent.Cast<FeedBatch>().Select(batch => (batch.Through, batch.IsFollowing)));
    }

    [Fact]
    public void Lanes_of_a_node_that_is_gone_are_forgotten()
    {
        Demand(TimeSpan.Zero);
        Demand(TimeSpan.Zero, "other");
        _server.Leave("another client");
        Assert.Equal(2, _server.Figures(default).Lanes);
        _server.Leave("client");
        Assert.Equal(0, _server.Figures(default).Lanes);
    }

    private static JournalEvent Event(int ordering) => new() { Ordering = ordering, PersistenceId = "a", SequenceNumber = ordering, Payload = default };

    private void Demand(TimeSpan now, string lane = "lane", long after = 40) => _server.Demand(new(lane, 0) { Epoch = 1, After = after, Credit = 10 }, "client", now);

    private sealed class RecordedPort : IFeedServerPort<string>
    {
        internal List<FeedMessage> Sent { get; } = [];

        internal int Reads { get; private set; }

        public void Send(string client, FeedMessage message) => Sent.Add(message);

        public void OpenRead(long after) => Reads++;

        public void ReadNext()
        {
        }

        public void Scan()
        {
        }

        public void CloseRead()
        {
        }
    }
}
