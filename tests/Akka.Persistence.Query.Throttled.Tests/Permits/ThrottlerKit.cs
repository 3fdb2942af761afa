using System.Collections.Concurrent;
using Akka.Actor;
using Akka.Persistence.Query.Throttled.Permits;
using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled.Tests.Permits;

/// <summary>A throttler that the test sends messages to. Its grants are recorded in order.</summary>
public abstract class ThrottlerKit(string config) : Akka.TestKit.Xunit2.TestKit($"{config}\n{AkkaTimeouts.Hocon}")
{
    private readonly ConcurrentQueue<StatementSlot> _grants = [];
    private int _stopped;

    internal IActorRef Throttler { get; private set; } = null!;

    /// <summary>Survives every restart. Read it only after <see cref="FenceAsync"/>.</summary>
    internal PermitLedger Ledger { get; private set; } = null!;

    internal IReadOnlyList<StatementSlot> Grants => [.. _grants];

    /// <summary>How often the throttler reported its final stop.</summary>
    internal int Stops => Volatile.Read(ref _stopped);

    internal TimeSpan Clock { get; set; }

    /// <summary>The error of the next read of the clock; null for none.</summary>
    internal Exception? ClockFault { get; set; }

    internal void Start(int limit, int perSecond = 0, int burst = 1)
    {
        Ledger = new(limit, perSecond == 0 ? 0 : burst);
        Throttler = ((ExtendedActorSystem)Sys).SystemActorOf(
            QueryThrottler.Props(new()
            {
                Ledger = Ledger,
                Tokens = perSecond == 0 ? null : new(perSecond, burst, TimeSpan.Zero),
                Now = ReadClock,
                Grant = _grants.Enqueue,
                Stopped = () => Interlocked.Increment(ref _stopped),
            }),
            $"throttler-{Guid.NewGuid():N}");
    }

    internal static List<StatementSlot> Slots(int count) => [.. Enumerable.Range(0, count).Select(_ => new StatementSlot(_ => { }))];

    internal void Request(params IEnumerable<StatementSlot> slots)
    {
        foreach (var slot in slots)
            Throttler.Tell(new RequestQueryPermit(slot));
    }

    internal void Return(params IEnumerable<StatementSlot> slots)
    {
        foreach (var slot in slots)
            Throttler.Tell(new ReturnQueryPermit(slot));
    }

    internal void SetLimit(int limit) => Throttler.Tell(new SetQueryPermitLimit(limit));

    /// <summary>Sends a message that makes the throttler throw, so its supervisor restarts it.</summary>
    internal void FailAndRestart() => Throttler.Tell(new ReturnQueryPermit(null!));

    /// <summary>Waits until all earlier messages have been handled.</summary>
    internal async Task FenceAsync()
    {
        var token = Guid.NewGuid();
        Throttler.Tell(new Identify(token), TestActor);
        await ExpectMsgAsync<ActorIdentity>(identity => Assert.Equal(token, identity.MessageId));
    }

    private TimeSpan ReadClock()
    {
        if (ClockFault is not { } fault)
            return Clock;
        ClockFault = null;
        throw fault;
    }
}
