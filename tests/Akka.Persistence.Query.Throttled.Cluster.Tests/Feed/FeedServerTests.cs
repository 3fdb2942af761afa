using Akka.Persistence.Query.Throttled.Cluster.Feed;
using Throttled.Journal;

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
    public void A_new_lane_reads_after_a_rewind()
    {
        Demand(TimeSpan.Zero);
        _server.Rewound(50);
        Demand(TimeSpan.FromSeconds(1), "another");
        _server.Tick(TimeSpan.FromSeconds(4));
        Assert.Equal(1, _port.Reads);
    }

    private void Demand(TimeSpan now, string lane = "lane") => _server.Demand(new(lane, 0) { Epoch = 1, After = 40, Credit = 10 }, "client", now);

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
