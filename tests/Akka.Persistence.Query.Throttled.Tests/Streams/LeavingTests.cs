using Akka.Actor;
using Akka.Persistence.Query.Throttled.Tests.Ways;
using Akka.Streams;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

/// <summary>However and whenever a run of a query ends, its statement ends too and its permit is returned.</summary>
public abstract class LeavingContract : StreamKit
{
    /// <summary>Every way out in every state.</summary>
    public static TheoryData<StreamState, WayOut> All => InEveryState(WayOut.Cancel, WayOut.OwnerStops, WayOut.OwnerFails);

    /// <summary>The actor with which the run ends.</summary>
    private protected abstract IActorRef Owner { get; }

    [Theory]
    [MemberData(nameof(All))]
    public async Task However_and_whenever_a_stream_ends_its_permit_is_returned_once(StreamState state, WayOut way)
    {
        await AppendAsync("a", 4);
        Open(new() { MaxConcurrentQueries = 1, MaxBufferSize = 3 });
        var probe = await ReachAsync(state);
        var ended = Database.Cancelled;
        await LeaveAsync(probe, way);
        if (state == StreamState.WaitingForPage)
            await Wait.UntilAsync(() => Database.Cancelled == ended + 1, "the statement to be cancelled");
        if (state == StreamState.WaitingInLine)
        {
            await Wait.UntilAsync(() => Meter.Waiting == 0, "the queue to be empty");
            Assert.Equal(1, Meter.PermitsUsed);
        }
        Database.Unblock();
        await AtRestAsync();

        // The only permit is free for others.
        var events = await Way.ReadAsync(Stream(Reader.CurrentEventsByPersistenceId("a")));
        Assert.Equal(Numbers(1, 4), events.Select(each => each.SequenceNumber));
        Assert.Equal(1, Database.MostRunning);
    }

    private protected static TheoryData<StreamState, WayOut> InEveryState(params WayOut[] ways)
    {
        var all = new TheoryData<StreamState, WayOut>();
        foreach (var state in Enum.GetValues<StreamState>())
        {
            foreach (var way in ways)
                all.Add(state, way);
        }
        return all;
    }

    /// <summary>Starts a query that ends with <see cref="Owner"/>.</summary>
    private protected abstract QueryProbe<JournalEvent> Start(Source<JournalEvent, NotUsed> query);

    private protected virtual async Task LeaveAsync(QueryProbe<JournalEvent> probe, WayOut way)
    {
        switch (way)
        {
            case WayOut.Cancel:
                await probe.CancelAsync();
                break;
            case WayOut.OwnerStops:
                Owner.Tell(PoisonPill.Instance);
                break;
            case WayOut.OwnerFails:
                Owner.Tell(Kill.Instance);
                break;
        }
    }

    private async Task<QueryProbe<JournalEvent>> ReachAsync(StreamState state)
    {
        if (state == StreamState.WaitingInLine)
        {
            Database.Block();
            _ = Stream(Reader.CurrentEventsByPersistenceId("a")).RunWith(Sink.Ignore<JournalEvent>(), Sys.Materializer());
            await Wait.UntilAsync(() => Database.Running == 1, "the other stream's statement");
        }
        var probe = Start(Stream(Reader.EventsByPersistenceId("a")));
        await probe.EnsureSubscriptionAsync();
        if (state == StreamState.WaitingForPage)
            Database.Block();
        if (state != StreamState.NotPulled)
            await probe.RequestAsync(state == StreamState.Following ? 100 : 1);
        switch (state)
        {
            case StreamState.WaitingForPage:
                await Wait.UntilAsync(() => Database.Running == 1, "its statement");
                break;
            case StreamState.WaitingInLine:
                await Wait.UntilAsync(() => Meter.Waiting == 1, "its place in the queue");
                break;
            case StreamState.InPage:
                Assert.Equal(1, (await probe.ExpectNextAsync()).SequenceNumber);
                break;
            case StreamState.Following:
                await Meter.UntilFollowingAsync(1);
                break;
        }
        return probe;
    }

    /// <summary>The state of a stream.</summary>
    public enum StreamState
    {
        /// <summary>No event was requested.</summary>
        NotPulled,

        /// <summary>Another stream has the permit.</summary>
        WaitingInLine,

        /// <summary>Its statement runs.</summary>
        WaitingForPage,

        /// <summary>It has more events than were requested.</summary>
        InPage,

        /// <summary>It has caught up and waits for new events.</summary>
        Following,
    }

    /// <summary>How a stream ends.</summary>
    public enum WayOut
    {
        /// <summary>Its sink cancels.</summary>
        Cancel,

        /// <summary>A kill switch completes it.</summary>
        Shutdown,

        /// <summary>A kill switch fails it.</summary>
        Abort,

        /// <summary>The actor that materialised it stops.</summary>
        OwnerStops,

        /// <summary>The actor that materialised it is killed.</summary>
        OwnerFails,

        /// <summary>Its materializer is shut down.</summary>
        MaterializerStops,
    }
}

public sealed class LeavingTests : LeavingContract
{
    private IKillSwitch _switch = null!;
    private IActorRef _owner = null!;

    /// <summary>Every way out that only streams have, in every state.</summary>
    public static TheoryData<StreamState, WayOut> OfStreams => InEveryState(WayOut.Shutdown, WayOut.Abort, WayOut.MaterializerStops);

    private protected override IActorRef Owner => _owner;

    [Theory]
    [MemberData(nameof(OfStreams))]
    public Task However_a_stream_is_stopped_its_permit_is_returned_once(StreamState state, WayOut way) =>
        However_and_whenever_a_stream_ends_its_permit_is_returned_once(state, way);

    // Materialised by its own actor; the stream ends with that actor.
    private protected override QueryProbe<JournalEvent> Start(Source<JournalEvent, NotUsed> query)
    {
        var (probe, started) = (new QueryProbe<JournalEvent>(), new TaskCompletionSource<UniqueKillSwitch>());
        var graph = query.ViaMaterialized(KillSwitches.Single<JournalEvent>(), Keep.Right).To(Sink.FromSubscriber(probe));
        _owner = Sys.ActorOf(Props.Create(() => new OwningActor(graph, started)));
        _switch = started.Task.GetAwaiter().GetResult();
        return probe;
    }

    private protected override async Task LeaveAsync(QueryProbe<JournalEvent> probe, WayOut way)
    {
        switch (way)
        {
            case WayOut.Shutdown:
                _switch.Shutdown();
                break;
            case WayOut.Abort:
                _switch.Abort(new InvalidOperationException("The test aborts."));
                break;
            case WayOut.MaterializerStops:
                _owner.Tell("shut down");
                break;
            default:
                await base.LeaveAsync(probe, way);
                break;
        }
    }

    private sealed class OwningActor : ReceiveActor
    {
        public OwningActor(IRunnableGraph<UniqueKillSwitch> graph, TaskCompletionSource<UniqueKillSwitch> started)
        {
            var materializer = Context.Materializer();
            started.SetResult(graph.Run(materializer));
            Receive<string>(_ => materializer.Shutdown());
        }
    }
}

public sealed class LeavingBySubscriptionTests : LeavingContract, IBySubscription
{
    private IActorRef _receiver = null!;

    private protected override IActorRef Owner => _receiver;

    private protected override QueryProbe<JournalEvent> Start(Source<JournalEvent, NotUsed> query) => ((SubscriptionWay)Way).Run(query, out _receiver);
}
