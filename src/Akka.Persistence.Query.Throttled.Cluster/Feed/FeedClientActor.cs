using Akka.Actor;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>Receives the feed's messages for the lanes of this node, and tells the lanes the time.</summary>
internal sealed class FeedClientActor : ReceiveActor, IWithTimers
{
    private static readonly TimeSpan TickInterval = TimeSpan.FromMilliseconds(250);

    public FeedClientActor(FeedLanes lanes)
    {
        Receive<FeedMessage>(lanes.Receive);
        Receive<Tick>(_ => lanes.Tick());
    }

    public ITimerScheduler Timers { get; set; } = null!;

    protected override void PreStart() => Timers.StartPeriodicTimer(nameof(Tick), Tick.Instance, TickInterval);

    private sealed class Tick
    {
        internal static Tick Instance { get; } = new();
    }
}
