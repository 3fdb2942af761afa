using System.Diagnostics.Metrics;
using Akka.Configuration;
using Throttled.Journal;
using Throttled.Projections;
using Throttled.Testing;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>Two nodes in one process. The first one reads for both.</summary>
public sealed class FeedTests : IAsyncLifetime
{
    private FeedJournal _journal = null!;
    private FeedNode _first = null!;
    private FeedNode _second = null!;

    public async Task InitializeAsync()
    {
        _journal = await FeedJournal.CreateAsync();
        _first = await FeedNode.StartAsync(_journal, configure: Small);
        _second = await FeedNode.StartAsync(_journal, _first, Small);

        static void Small(ThrottledFeedOptions options) => (options.WindowEvents, options.MaxBufferedEvents) = (400, 100);
    }

    public async Task DisposeAsync()
    {
        await _second.StopAsync();
        await _first.StopAsync();
        await _journal.DisposeAsync();
    }

    [Fact]
    public async Task Both_nodes_get_all_events_and_one_of_them_reads()
    {
        await _journal.AppendAsync(1000);
        using var metrics = new FeedFigures();
        await using var here = new LaneReading(_first.Feed.Reader.AllEvents());
        await using var there = new LaneReading(_second.Feed.Reader.AllEvents());
        await using var part = new LaneReading(_second.Feed.Reader.EventsBySlices(0, 511));
        await here.HasAsync(1000);
        await there.HasAsync(1000);
        await _journal.AppendAsync(20, bytes: 300_000);
        await _journal.AppendAsync(80);
        await here.HasAsync(1100);
        await there.HasAsync(1100);
        Assert.Equal(Enumerable.Range(1, 1100).Select(number => (long)number), here.Orderings);
        Assert.Equal(here.Orderings, there.Orderings);
        Assert.All(there.Events.Skip(1000).Take(20), stored => Assert.Equal(300_000, stored.Payload.Length));
        var expected = here.Events.Where(stored => JournalSlices.Of(stored.PersistenceId) <= 511).Select(stored => stored.Ordering).ToList();
        await part.HasAsync(expected.Count);
        Assert.Equal(expected, part.Orderings);
        var (stored, received) = (here.Events[500], there.Events[500]);
        Assert.Equal(
            (stored.PersistenceId, stored.SequenceNumber, stored.Timestamp, stored.SerializerId, stored.Manifest),
            (received.PersistenceId, received.SequenceNumber, received.Timestamp, received.SerializerId, received.Manifest));
        // The second node reads only the events that are too large for a message.
        Assert.Equal(0, _second.Meter.Of("keys"));
        Assert.InRange(_second.Meter.Statements, 1, 40);
        Assert.True(_first.Meter.Statements > 0);
        await Wait.UntilAsync(() => metrics["throttled.cluster.feed.sent"] >= 2200, "the events are counted");
        Assert.True(metrics["throttled.cluster.feed.received"] >= 2200);
        Assert.Equal(3, metrics["throttled.cluster.feed.lanes.served"]);
        Assert.InRange(metrics["throttled.cluster.feed.window.events"], 1, 400);
    }

    [Fact]
    public async Task A_slow_lane_holds_up_nobody_and_gets_every_event()
    {
        await _journal.AppendAsync(3000);
        await using var slow = new LaneReading(_second.Feed.Reader.AllEvents(), pauseAfter: 10);
        await slow.HasAsync(10);
        await using var fast = new LaneReading(_second.Feed.Reader.AllEvents());
        await fast.HasAsync(3000);
        slow.Continue();
        await slow.HasAsync(3000);
        Assert.Equal(fast.Orderings, slow.Orderings);
        await _journal.AppendAsync(10);
        await slow.HasAsync(3010);
        await fast.HasAsync(3010);
    }

    [Fact]
    public async Task Queries_that_the_feed_does_not_have_read_the_journal()
    {
        await _journal.AppendAsync("one", "red");
        await _journal.AppendAsync("two", "blue");
        await using var red = new LaneReading(_second.Feed.Reader.EventsByTag("red"));
        await red.HasAsync(1);
        Assert.Equal("one", Assert.Single(red.Events).PersistenceId);
        await using var current = new LaneReading(_second.Feed.Reader.CurrentAllEvents());
        await using var byId = new LaneReading(_second.Feed.Reader.EventsByPersistenceId("two"));
        await current.HasAsync(2);
        await byId.HasAsync(1);
        Assert.True(_second.Meter.Statements > 0);
    }

    [Fact]
    public async Task A_lane_without_events_moves_on_with_the_feed()
    {
        await _journal.AppendAsync(100);
        var ids = Enumerable.Range(0, 20).Select(number => JournalSlices.Of($"account-{number}")).ToHashSet();
        var empty = Enumerable.Range(0, JournalSlices.Count).First(slice => !ids.Contains(slice));
        await using var lane = new LaneReading(_second.Feed.Reader.EventsBySlices(empty, empty));
        await Wait.UntilAsync(async () => await lane.ScannedAsync() is { UpTo: 100, IsLevel: true }, () => "the lane is level");
    }

    [Fact]
    public async Task When_the_feeds_node_is_killed_nothing_is_lost_or_doubled()
    {
        await _journal.AppendAsync(500);
        await using var lane = new LaneReading(_second.Feed.Reader.AllEvents());
        await using var other = new LaneReading(_second.Feed.Reader.EventsBySlices(0, 700));
        await lane.HasAsync(200);
        await _first.KillAsync(_second);
        await _journal.AppendAsync(500);
        await lane.HasAsync(1000);
        Assert.Equal(Enumerable.Range(1, 1000).Select(number => (long)number), lane.Orderings);
        var expected = lane.Events.Where(stored => JournalSlices.Of(stored.PersistenceId) <= 700).Select(stored => stored.Ordering).ToList();
        await other.HasAsync(expected.Count);
        Assert.Equal(expected, other.Orderings);
    }

    [Fact]
    public void A_feed_that_was_not_added_is_refused() => Assert.Equal(
        "There is no feed 'orders'; there are: all. Add it with 'WithThrottledFeed'.",
        Assert.Throws<ConfigurationException>(() => ThrottledFeed.Get(_first.System, "orders")).Message);

    /// <summary>The feed's figures, over all nodes of the process.</summary>
    private sealed class FeedFigures : IDisposable
    {
        private readonly Dictionary<string, long> _counted = [];
        private readonly Dictionary<Instrument, long> _gauges = [];
        private readonly MeterListener _listener = new();

        internal FeedFigures()
        {
            _listener.InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == "Throttled.Cluster" && instrument.Name.StartsWith("throttled.cluster.feed", StringComparison.Ordinal))
                    listener.EnableMeasurementEvents(instrument);
            };
            _listener.SetMeasurementEventCallback<long>((instrument, value, _, _) =>
            {
                lock (_counted)
                {
                    if (instrument.IsObservable)
                        _gauges[instrument] = value;
                    else
                        _counted[instrument.Name] = _counted.GetValueOrDefault(instrument.Name) + value;
                }
            });
            _listener.Start();
        }

        internal long this[string name]
        {
            get
            {
                _listener.RecordObservableInstruments();
                lock (_counted)
                    return _counted.GetValueOrDefault(name) + _gauges.Where(each => each.Key.Name == name).Sum(each => each.Value);
            }
        }

        public void Dispose() => _listener.Dispose();
    }
}
