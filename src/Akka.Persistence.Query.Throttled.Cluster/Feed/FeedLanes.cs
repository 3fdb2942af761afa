using System.Collections.Concurrent;
using System.Globalization;
using Akka.Persistence.Query.Throttled.Cluster.Diagnostics;
using Microsoft.Extensions.Logging;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>The lanes of one feed on this node. Thread-safe.</summary>
/// <param name="context">What the feed's parts share.</param>
/// <param name="node">Identifies this node in the cluster.</param>
internal sealed class FeedLanes(ClusterFeedContext context, string node)
{
    private readonly ConcurrentDictionary<string, FedFeed> _lanes = new(StringComparer.Ordinal);
    private long _count;
    private bool _isSilent;
    private volatile Func<Exception>? _closed;

    internal ClusterFeedContext Context => context;

    /// <summary>Sends a message to the feed, wherever it is. It may be lost.</summary>
    internal required Action<FeedMessage> Send { get; init; }

    /// <summary>Creates the failure of each demand after the actor system has terminated; null before that.</summary>
    internal Func<Exception>? Closed => _closed;

    /// <summary>A name for a new lane.</summary>
    internal string NewName() => string.Create(CultureInfo.InvariantCulture, $"{node}-{Interlocked.Increment(ref _count)}");

    internal void Add(string name, FedFeed lane) => _lanes[name] = lane;

    internal void Remove(string name) => _lanes.TryRemove(name, out _);

    internal void Receive(FeedMessage message)
    {
        if (_lanes.TryGetValue(message.Lane, out var lane))
            lane.Receive(message);
    }

    /// <summary>Fails all lanes, those that demand later too: the actor system has terminated.</summary>
    internal void Close(Func<Exception> failure)
    {
        _closed = failure;
        foreach (var (_, lane) in _lanes)
            lane.Close(failure());
    }

    internal void Tick()
    {
        var (served, reading, silent, buffered) = (0, 0, 0, 0L);
        foreach (var (_, lane) in _lanes)
        {
            lane.Tick();
            (served, reading) = lane.IsReading ? (served, reading + 1) : (served + 1, reading);
            silent += lane.IsFeedSilent ? 1 : 0;
            buffered += lane.Buffered;
        }
        context.Metrics.Set(new LaneFigures(served, reading, buffered));
        // Once for all lanes of the node, and again only after the feed has answered.
        if (silent > 0 && !_isSilent)
            context.Log.FeedSilent(context.Name, context.LaneLimits.FeedTimeout.TotalSeconds, silent);
        _isSilent = silent > 0;
    }
}
