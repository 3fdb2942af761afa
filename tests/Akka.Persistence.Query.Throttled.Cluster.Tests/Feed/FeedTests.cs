using System.Diagnostics.Metrics;
using Akka.Configuration;
using Throttled.Journal.Queries;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>Two nodes in one process. The first one reads for both.</summary>
public sealed class FeedTests(FeedTests.Nodes nodes) : IClassFixture<FeedTests.Nodes>
{
    private readonly long _start = nodes.Journal.End;

    [Fact]
    public async Task Both_nodes_get_all_events_and_one_of_them_reads()
    {
        var statements = (Keys: nodes.Second.Meter.Of("keys"), All: nodes.Second.Meter.Statements);
        await nodes.Journal.AppendAsync(1000);
        using var metrics = new FeedFigures();
        await using var here = new LaneReading(nodes.First.Feed.Reader.AllEvents(_start));
        await using var there = new LaneReading(nodes.Second.Feed.Reader.AllEvents(_start));
        await using var part = new LaneReading(nodes.Second.Feed.Reader.EventsBySlices(0, 511, _start));
        await here.HasAsync(1000);
        await there.HasAsync(1000);
        await nodes.Journal.AppendAsync(20, bytes: 300_000);
        await nodes.Journal.AppendAsync(80);
        await here.HasAsync(1100);
        await there.HasAsync(1100);
        Assert.Equal(Next(1100), here.Orderings);
        Assert.Equal(Next(1100), there.Orderings);
        Assert.All(there.Events.Skip(1000).Take(20), stored => Assert.Equal(300_000, stored.Payload.Length));
        var expected = OrderingsOf(here, new(0, 511));
        await part.HasAsync(expected.Count);
        Assert.Equal(expected, part.Orderings);
        Assert.Equal(Text(here.Events[500]), Text(there.Events[500]));
        // The second node reads only the events that are too large for a message.
        Assert.Equal(statements.Keys, nodes.Second.Meter.Of("keys"));
        Assert.InRange(nodes.Second.Meter.Statements - statements.All, 1, 40);
        await Wait.UntilAsync(() => metrics["throttled.cluster.feed.sent"] >= 2200, "the events are counted");
        Assert.True(metrics["throttled.cluster.feed.received"] >= 2200);
        await Wait.UntilAsync(
            () => metrics["throttled.cluster.feed.lane.count feed"] == 3 && metrics["throttled.cluster.feed.lane.count journal"] == 0, "the three lanes are counted");
        Assert.InRange(metrics["throttled.cluster.feed.window.count"], 1, 10_000);
        Assert.True(metrics["throttled.cluster.feed.read"] >= 1100);
        await Wait.UntilAsync(
            () => metrics["throttled.cluster.feed.known_lane.count"] == 3 && metrics["throttled.cluster.feed.lag.events"] == 0 && metrics["throttled.cluster.feed.buffer.count"] == 0,
            "the lanes have everything");
        Assert.InRange(metrics["throttled.cluster.feed.demand"], 3, 6000);
        await Wait.UntilAsync(() => metrics["throttled.cluster.feed.age"] < 10, "the feed is at the end of the journal");
        Assert.Equal(["throttled.feed.name", "throttled.lane.source"], metrics.Tags.Order());
    }

    [Fact]
    public async Task A_slow_lane_holds_up_nobody_and_gets_every_event()
    {
        await nodes.Journal.AppendAsync(3000);
        await using var slow = new LaneReading(nodes.Second.Small.Reader.AllEvents(_start), pauseAfter: 10);
        await slow.HasAsync(10);
        await using var fast = new LaneReading(nodes.Second.Small.Reader.AllEvents(_start));
        await fast.HasAsync(3000);
        slow.Continue();
        await slow.HasAsync(3000);
        await nodes.Journal.AppendAsync(10);
        await slow.HasAsync(3010);
        await fast.HasAsync(3010);
        Assert.Equal(Next(3010), slow.Orderings);
        Assert.Equal(Next(3010), fast.Orderings);
    }

    [Fact]
    public async Task Queries_that_the_feed_does_not_have_read_the_journal()
    {
        // A pair of its own, because no other test may meet a late poll of the second node.
        await using var pair = new Nodes();
        await pair.InitializeAsync();
        var statements = pair.Second.Meter.Statements;
        await pair.Journal.AppendAsync("one", "red");
        await pair.Journal.AppendAsync("two", "blue");
        await using var red = new LaneReading(pair.Second.Feed.Reader.EventsByTag("red"));
        await using var current = new LaneReading(pair.Second.Feed.Reader.CurrentAllEvents());
        await using var byId = new LaneReading(pair.Second.Feed.Reader.EventsByPersistenceId("two"));
        await red.HasAsync(1);
        await current.HasAsync(2);
        await byId.HasAsync(1);
        Assert.Equal("one", Assert.Single(red.Events).PersistenceId);
        Assert.True(pair.Second.Meter.Statements > statements);
    }

    [Fact]
    public async Task A_lane_without_events_moves_on_with_the_feed()
    {
        await nodes.Journal.AppendAsync(100);
        var used = Enumerable.Range(0, 20).Select(number => $"account-{number}").Select(JournalSlices.Of).ToHashSet();
        var empty = Enumerable.Range(0, JournalSlices.Count).First(slice => !used.Contains(slice));
        await using var lane = new LaneReading(nodes.Second.Feed.Reader.EventsBySlices(empty, empty, _start));
        await Wait.UntilAsync(async () => await lane.ScannedAsync() == new Scan(_start + 100, IsFollowing: true), () => "the lane has caught up");
    }

    [Fact]
    [Trait("Category", "Long")]
    public async Task When_the_feeds_node_is_killed_nothing_is_lost_or_doubled()
    {
        using var metrics = new FeedFigures();
        await using var pair = new Nodes();
        await pair.InitializeAsync();
        await pair.Journal.AppendAsync(500);
        await using var lane = new LaneReading(pair.Second.Feed.Reader.AllEvents());
        await using var part = new LaneReading(pair.Second.Feed.Reader.EventsBySlices(0, 700));
        await lane.HasAsync(200);
        await pair.First.KillAsync(pair.Second);
        await pair.Journal.AppendAsync(500);
        await lane.HasAsync(1000);
        Assert.Equal(Enumerable.Range(1, 1000).Select(number => (long)number), lane.Orderings);
        Assert.True(metrics["throttled.cluster.feed.starts"] >= 2);
        var expected = OrderingsOf(lane, new(0, 700));
        await part.HasAsync(expected.Count);
        Assert.Equal(expected, part.Orderings);
        var late = pair.Second.Feed.Reader.AllEvents().GetAsyncEnumerator();
        await pair.Second.System.Terminate();
        await Assert.ThrowsAsync<JournalClosedException>(async () => await late.MoveNextAsync());
        await Assert.ThrowsAsync<JournalClosedException>(() => lane.Run);
        await Assert.ThrowsAsync<JournalClosedException>(() => part.Run);
    }

    [Fact]
    public async Task Lanes_of_a_node_that_was_removed_are_forgotten_at_once()
    {
        await using var pair = new Nodes();
        await pair.InitializeAsync();
        using var metrics = new FeedFigures("small");
        await using var here = new LaneReading(pair.First.Small.Reader.AllEvents());
        await using var there = new LaneReading(pair.Second.Small.Reader.AllEvents());
        await Wait.UntilAsync(() => metrics["throttled.cluster.feed.known_lane.count"] == 2, "both lanes are known");
        await pair.Second.KillAsync(pair.First);
        await Wait.UntilAsync(() => metrics["throttled.cluster.feed.known_lane.count"] == 1, "the lane is forgotten");
    }

    [Fact]
    public void A_feed_that_was_not_added_is_refused() => Assert.Equal(
        "There is no feed 'orders'; there are: all, small. Add it with 'WithThrottledFeed'.",
        Assert.Throws<ConfigurationException>(() => ThrottledFeed.Get(nodes.First.System, "orders")).Message);

    private IEnumerable<long> Next(int count) => Enumerable.Range(1, count).Select(number => _start + number);

    private static List<long> OrderingsOf(LaneReading lane, SliceRange slices) =>
        [.. lane.Events.Where(stored => slices.Contains(JournalSlices.Of(stored.PersistenceId))).Select(stored => stored.Ordering)];

    private static string Text(JournalEvent stored) =>
        $"{stored} {stored.Timestamp} {stored.SerializerId} {stored.Manifest} {Convert.ToHexString(stored.Payload.Span)}";

    public sealed class Nodes : IAsyncLifetime, IAsyncDisposable
    {
        internal FeedJournal Journal { get; private set; } = null!;

        internal FeedNode First { get; private set; } = null!;

        internal FeedNode Second { get; private set; } = null!;

        public async Task InitializeAsync()
        {
            Journal = await FeedJournal.CreateAsync();
            First = await FeedNode.StartAsync(Journal);
            Second = await FeedNode.StartAsync(Journal, First);
        }

        public async ValueTask DisposeAsync()
        {
            await Second.StopAsync();
            await First.StopAsync();
            await Journal.DisposeAsync();
        }

        Task IAsyncLifetime.DisposeAsync() => DisposeAsync().AsTask();
    }

    /// <summary>The figures of a feed, over the nodes of this class; no other class has a feed of this name.</summary>
    private sealed class FeedFigures : IDisposable
    {
        private readonly Dictionary<string, long> _values = [];
        private readonly string _feed;
        private readonly HashSet<string> _tags = new(StringComparer.Ordinal);
        private readonly MeterListener _listener = new();

        internal FeedFigures(string feed = "all")
        {
            _feed = feed;
            _listener.InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter.Name == "Throttled.Cluster")
                    listener.EnableMeasurementEvents(instrument);
            };
            _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Record(instrument, value, tags));
            _listener.SetMeasurementEventCallback<int>((instrument, value, tags, _) => Record(instrument, value, tags));
            _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Record(instrument, (long)value, tags));
            _listener.Start();
        }

        /// <summary>The names of all tags.</summary>
        internal IReadOnlyCollection<string> Tags => _tags;

        internal long this[string name]
        {
            get
            {
                lock (_values)
                {
                    _values.Clear();
                    _listener.RecordObservableInstruments();
                    return _values.GetValueOrDefault(name);
                }
            }
        }

        public void Dispose() => _listener.Dispose();

        private void Record(Instrument instrument, long value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            var byName = tags.ToArray().ToDictionary(StringComparer.Ordinal);
            if (!byName.TryGetValue("throttled.feed.name", out var name) || !Equals(name, _feed))
                return;
            lock (_values)
            {
                _tags.UnionWith(byName.Keys);
                var key = byName.TryGetValue("throttled.lane.source", out var source) ? $"{instrument.Name} {source}" : instrument.Name;
                _values[key] = _values.GetValueOrDefault(key) + value;
            }
        }
    }
}
