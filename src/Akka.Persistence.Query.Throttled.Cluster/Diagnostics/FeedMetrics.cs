using System.Diagnostics.Metrics;
using Throttled.Journal.Diagnostics;

namespace Akka.Persistence.Query.Throttled.Cluster.Diagnostics;

/// <summary>The metrics of one feed on this node; <c>docs/operating/metrics.md</c> lists their names. Thread-safe.</summary>
internal sealed class FeedMetrics : IDisposable
{
    private static readonly ObservedSources<FeedMetrics> All = Instruments();
    private static readonly SourceCounter Starts = Counter("throttled.cluster.feed.starts", "{start}", "How often the feed started on this node");
    private static readonly SourceCounter EventsRead = Counter("throttled.cluster.feed.read", "{event}", "Events that the feed read from the journal");
    private static readonly SourceCounter EventsSent = Counter("throttled.cluster.feed.sent", "{event}", "Events that the feed sent to lanes");
    private static readonly SourceCounter SentAway = Counter("throttled.cluster.feed.sent_away", "{demand}", "Demands that the feed refused: it told the lane to read the journal itself");
    private static readonly SourceCounter EventsReceived = Counter("throttled.cluster.feed.received", "{event}", "Events that lanes of this node got from the feed");

    private readonly Total _starts;
    private readonly Total _read;
    private readonly Total _sent;
    private readonly Total _sentAway;
    private readonly Total _received;
    private readonly KeyValuePair<string, object?>[] _tags;
    private readonly KeyValuePair<string, object?>[] _served;
    private readonly KeyValuePair<string, object?>[] _reading;
    private volatile FeedFigures _feed = new();
    private volatile LaneFigures _lanes = new();

    internal FeedMetrics(string feed)
    {
        _tags = [new("throttled.feed.name", feed)];
        _served = [.. _tags, new("throttled.lane.source", "feed")];
        _reading = [.. _tags, new("throttled.lane.source", "journal")];
        (_starts, _received) = (Starts.Of(_tags), EventsReceived.Of(_tags));
        (_read, _sent, _sentAway) = (EventsRead.Of(_tags), EventsSent.Of(_tags), SentAway.Of(_tags));
        All.Add(this);
    }

    internal void Started() => _starts.Add(1);

    internal void Received(int events) => _received.Add(events);

    /// <summary>What the feed did since the last call.</summary>
    internal void Add(FeedCounts counts)
    {
        _read.Add(counts.Read);
        _sent.Add(counts.Sent);
        _sentAway.Add(counts.SentAway);
    }

    internal void Set(FeedFigures figures) => _feed = figures;

    internal void Set(LaneFigures figures) => _lanes = figures;

    public void Dispose() => All.Remove(this);

    private static ObservedSources<FeedMetrics> Instruments()
    {
        var all = new ObservedSources<FeedMetrics>(ClusterMeter.Meter);
        UpDownCounter("throttled.cluster.feed.known_lane.count", "{lane}", "Lanes of all nodes that the feed on this node knows", feed => feed._feed.Lanes);
        UpDownCounter("throttled.cluster.feed.demand", "{event}", "Events that lanes wait for", feed => feed._feed.Demand);
        all.Gauge<long>("throttled.cluster.feed.lag.events", "{event}", "How far the slowest lane that the feed serves is behind the feed", feed => [new(feed._feed.Lag, feed._tags)]);
        all.Gauge<double>("throttled.cluster.feed.age", "s", "Time since the feed was last at the journal end", feed => [new(feed._feed.Age.TotalSeconds, feed._tags)]);
        UpDownCounter("throttled.cluster.feed.window.count", "{event}", "Recent events that the feed on this node keeps", feed => feed._feed.WindowEvents);
        UpDownCounter("throttled.cluster.feed.window.usage", "By", "Bytes of these events", feed => feed._feed.WindowBytes);
        UpDownCounter("throttled.cluster.feed.buffer.count", "{event}", "Events that lanes of this node keep for their readers", feed => feed._lanes.Buffered);
        all.UpDownCounter("throttled.cluster.feed.lane.count", "{lane}", "Lanes of this node by source", feed => [new(feed._lanes.Served, feed._served), new(feed._lanes.Reading, feed._reading)]);
        return all;

        void UpDownCounter(string name, string unit, string description, Func<FeedMetrics, long> read) => all.UpDownCounter(name, unit, description, feed => [new(read(feed), feed._tags)]);
    }

    private static SourceCounter Counter(string name, string unit, string description) => new(ClusterMeter.Meter, name, unit, description);
}

/// <summary>What a feed has done.</summary>
/// <param name="Read">Events read from the journal.</param>
/// <param name="Sent">Events sent to lanes.</param>
/// <param name="SentAway">Demands that were answered by telling the lane to read for itself.</param>
internal readonly record struct FeedCounts(long Read, long Sent, long SentAway)
{
    public static FeedCounts operator +(FeedCounts left, FeedCounts right) =>
        new(left.Read + right.Read, left.Sent + right.Sent, left.SentAway + right.SentAway);

    public static FeedCounts operator -(FeedCounts left, FeedCounts right) =>
        new(left.Read - right.Read, left.Sent - right.Sent, left.SentAway - right.SentAway);
}

/// <summary>How a feed is now: 0 on nodes without it.</summary>
internal sealed record FeedFigures
{
    internal int Lanes { get; init; }

    /// <summary>Events that lanes asked for and did not get yet.</summary>
    internal long Demand { get; init; }

    /// <summary>Orderings between what was read and the slowest lane that is served.</summary>
    internal long Lag { get; init; }

    /// <summary>Time since the feed was at the end of the journal; 0 if it has no lanes.</summary>
    internal TimeSpan Age { get; init; }

    internal long WindowEvents { get; init; }

    internal long WindowBytes { get; init; }

    /// <summary>The figures of the feeds of two shards in one.</summary>
    internal static FeedFigures Both(FeedFigures left, FeedFigures right) => new()
    {
        Lanes = left.Lanes + right.Lanes,
        Demand = left.Demand + right.Demand,
        Lag = Math.Max(left.Lag, right.Lag),
        Age = left.Age > right.Age ? left.Age : right.Age,
        WindowEvents = left.WindowEvents + right.WindowEvents,
        WindowBytes = left.WindowBytes + right.WindowBytes,
    };
}

/// <summary>The lanes of a node.</summary>
/// <param name="Served">Lanes that the feed serves.</param>
/// <param name="Reading">Lanes that read for themselves.</param>
/// <param name="Buffered">Events that lanes keep for their readers.</param>
internal sealed record LaneFigures(int Served = 0, int Reading = 0, long Buffered = 0);
