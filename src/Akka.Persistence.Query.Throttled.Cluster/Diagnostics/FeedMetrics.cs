using System.Diagnostics.Metrics;
using System.Numerics;

namespace Akka.Persistence.Query.Throttled.Cluster.Diagnostics;

/// <summary>The metrics of one feed on this node; <c>docs/operating/metrics.md</c> lists their names. Thread-safe.</summary>
internal sealed class FeedMetrics : IDisposable
{
    private readonly Meter _meter;
    private readonly Counter<long> _starts;
    private readonly Counter<long> _read;
    private readonly Counter<long> _sent;
    private readonly Counter<long> _sentAway;
    private readonly Counter<long> _received;
    private volatile FeedFigures _feed = new();
    private volatile LaneFigures _lanes = new();

    internal FeedMetrics(string feed)
    {
        _meter = new(new MeterOptions(ClusterLog.Category) { Tags = [new("throttled.feed.name", feed)] });
        _starts = Counter("throttled.cluster.feed.starts", "{start}", "How often the feed started on this node");
        _read = Counter("throttled.cluster.feed.read", "{event}", "Events that the feed on this node read from the journal");
        _sent = Counter("throttled.cluster.feed.sent", "{event}", "Events that the feed on this node sent to lanes");
        _sentAway = Counter("throttled.cluster.feed.sent_away", "{demand}", "Demands that the feed answered by telling the lane to read for itself");
        _received = Counter("throttled.cluster.feed.received", "{event}", "Events that lanes of this node got from the feed");
        Gauge("throttled.cluster.feed.lanes.known", "{lane}", "Lanes of all nodes that the feed on this node knows", () => _feed.Lanes);
        Gauge("throttled.cluster.feed.demand", "{event}", "Events that lanes wait for", () => _feed.Demand);
        Gauge("throttled.cluster.feed.lag", "{ordering}", "How far the slowest lane that the feed serves is behind the feed", () => _feed.Lag);
        Gauge("throttled.cluster.feed.age", "s", "Time since the feed was at the end of the journal", () => _feed.Age.TotalSeconds);
        Gauge("throttled.cluster.feed.window.events", "{event}", "Recent events that the feed on this node keeps", () => _feed.WindowEvents);
        Gauge("throttled.cluster.feed.window.bytes", "By", "Bytes of these events", () => _feed.WindowBytes);
        Gauge("throttled.cluster.feed.lanes.served", "{lane}", "Lanes of this node that the feed serves", () => _lanes.Served);
        Gauge("throttled.cluster.feed.lanes.reading", "{lane}", "Lanes of this node that read for themselves", () => _lanes.Reading);
        Gauge("throttled.cluster.feed.buffered", "{event}", "Events that lanes of this node keep for their readers", () => _lanes.Buffered);
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

    public void Dispose() => _meter.Dispose();

    private Counter<long> Counter(string name, string unit, string description) => _meter.CreateCounter<long>(name, unit, description);

    private void Gauge<T>(string name, string unit, string description, Func<T> read)
        where T : struct, INumber<T> => _meter.CreateObservableGauge(name, read, unit, description);
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
