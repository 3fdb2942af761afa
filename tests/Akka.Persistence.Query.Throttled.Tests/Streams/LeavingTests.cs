using Akka.Actor;
using Akka.Streams;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

/// <summary>However and whenever a stream ends, its statement ends too and its permit is returned.</summary>
public sealed class LeavingTests : StreamKit
{
    private IKillSwitch _switch = null!;
    private IActorRef _owner = null!;

    /// <summary>Every way out in every state.</summary>
    public static TheoryData<StreamState, WayOut> All
    {
        get
        {
            var all = new TheoryData<StreamState, WayOut>();
            foreach (var state in Enum.GetValues<StreamState>())
            {
                foreach (var way in Enum.GetValues<WayOut>())
                    all.Add(state, way);
            }
            return all;
        }
    }

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
        var events = await Stream(Reader.CurrentEventsByPersistenceId("a")).RunWith(Sink.Seq<JournalEvent>(), Materializer);
        Assert.Equal(Numbers(1, 4), events.Select(each => each.SequenceNumber));
        Assert.Equal(1, Database.MostRunning);
    }

    private async Task<StreamProbe<JournalEvent>> ReachAsync(StreamState state)
    {
        if (state == StreamState.WaitingInLine)
        {
            Database.Block();
            _ = Stream(Reader.CurrentEventsByPersistenceId("a")).RunWith(Sink.Ignore<JournalEvent>(), Sys.Materializer());
            await Wait.UntilAsync(() => Database.Running == 1, "the other stream's statement");
        }
        var probe = Start();
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

    // Materialised by its own actor; the stream ends with that actor.
    private StreamProbe<JournalEvent> Start()
    {
        var started = new TaskCompletionSource<(UniqueKillSwitch, StreamProbe<JournalEvent>)>();
        var graph = Stream(Reader.EventsByPersistenceId("a"))
            .ViaMaterialized(KillSwitches.Single<JournalEvent>(), Keep.Right)
            .ToMaterialized(StreamProbe<JournalEvent>.Sink(), Keep.Both);
        _owner = Sys.ActorOf(Props.Create(() => new Owner(graph, started)));
        (_switch, var probe) = started.Task.GetAwaiter().GetResult();
        return probe;
    }

    private async Task LeaveAsync(StreamProbe<JournalEvent> probe, WayOut way)
    {
        switch (way)
        {
            case WayOut.Cancel:
                await probe.CancelAsync();
                break;
            case WayOut.Shutdown:
                _switch.Shutdown();
                break;
            case WayOut.Abort:
                _switch.Abort(new InvalidOperationException("The test aborts."));
                break;
            case WayOut.OwnerStops:
                _owner.Tell(PoisonPill.Instance);
                break;
            case WayOut.OwnerFails:
                _owner.Tell(Kill.Instance);
                break;
            case WayOut.MaterializerStops:
                _owner.Tell("shut down");
                break;
        }
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

    private sealed class Owner : ReceiveActor
    {
        public Owner(
            IRunnableGraph<(UniqueKillSwitch, StreamProbe<JournalEvent>)> graph,
            TaskCompletionSource<(UniqueKillSwitch, StreamProbe<JournalEvent>)> started)
        {
            var materializer = Context.Materializer();
            started.SetResult(graph.Run(materializer));
            Receive<string>(_ => materializer.Shutdown());
        }
    }
}
