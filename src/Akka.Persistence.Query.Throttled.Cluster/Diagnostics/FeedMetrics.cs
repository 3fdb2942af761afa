using System.Diagnostics.Metrics;

namespace Akka.Persistence.Query.Throttled.Cluster.Diagnostics;

/// <summary>The metrics of one feed on this node; <c>docs/operating/metrics.md</c> lists their names. Thread-safe.</summary>
internal sealed class FeedMetrics : IDisposable
{
    internal const string Name = "Throttled.Cluster";

    private readonly Meter _meter;
    private readonly Counter<long> _sent;
    private readonly Counter<long> _received;
    private readonly Counter<long> _sentAway;
    private long _served;
    private long _reading;
    private long _window;
    private long _windowBytes;

    internal FeedMetrics(string feed)
    {
        _meter = new(new MeterOptions(Name) { Tags = [new("throttled.feed.name", feed)] });
        _sent = _meter.CreateCounter<long>("throttled.cluster.feed.sent", "{event}", "Events that the feed on this node sent to lanes");
        _received = _meter.CreateCounter<long>("throttled.cluster.feed.received", "{event}", "Events that lanes of this node got from the feed");
        _sentAway = _meter.CreateCounter<long>("throttled.cluster.feed.sent_away", "{demand}", "Demands that the feed answered by telling the lane to read for itself");
        Gauge("throttled.cluster.feed.lanes.served", "{lane}", "Lanes of this node that the feed serves", () => Interlocked.Read(ref _served));
        Gauge("throttled.cluster.feed.lanes.reading", "{lane}", "Lanes of this node that read for themselves", () => Interlocked.Read(ref _reading));
        Gauge("throttled.cluster.feed.window.events", "{event}", "Recent events that the feed on this node keeps", () => Interlocked.Read(ref _window));
        Gauge("throttled.cluster.feed.window.bytes", "By", "Bytes of these events", () => Interlocked.Read(ref _windowBytes));
    }

    internal void Received(int events) => _received.Add(events);

    internal void Sent(long events) => _sent.Add(events);

    internal void SentAway(long demands) => _sentAway.Add(demands);

    internal void LanesAre(int served, int reading)
    {
        Interlocked.Exchange(ref _served, served);
        Interlocked.Exchange(ref _reading, reading);
    }

    internal void WindowIs(long events, long bytes)
    {
        Interlocked.Exchange(ref _window, events);
        Interlocked.Exchange(ref _windowBytes, bytes);
    }

    public void Dispose() => _meter.Dispose();

    private void Gauge(string name, string unit, string description, Func<long> read) => _meter.CreateObservableGauge(name, read, unit, description);
}
