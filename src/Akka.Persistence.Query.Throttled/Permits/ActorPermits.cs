using Akka.Actor;
using Throttled.Journal.Loop;
using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled.Permits;

/// <summary>
/// The engine's side of a <see cref="QueryThrottler"/>. Sends the loop's requests to the actor, and posts each grant to the
/// loop. Runs on the loop.
/// </summary>
internal sealed class ActorPermits : IPermitSource
{
    // A request may be granted while it is withdrawn. The loop must not get that grant.
    private readonly HashSet<StatementSlot> _requested = [];

    private readonly JournalLoop _loop;
    private readonly Action<object> _granted;
    private readonly IActorRef _throttler;

    /// <param name="loop">The journal's loop.</param>
    /// <param name="start">Starts the throttler. Its argument delivers a grant.</param>
    internal ActorPermits(JournalLoop loop, Func<Action<StatementSlot>, IActorRef> start)
    {
        _loop = loop;
        _granted = Granted;
        _throttler = start(slot => _loop.Post(_granted, slot));
    }

    public void Request(StatementSlot slot)
    {
        if (_requested.Add(slot))
            _throttler.Tell(new RequestQueryPermit(slot), ActorRefs.NoSender);
    }

    public void Return(StatementSlot slot)
    {
        _requested.Remove(slot);
        _throttler.Tell(new ReturnQueryPermit(slot), ActorRefs.NoSender);
    }

    public void SetLimit(int limit) => _throttler.Tell(new SetQueryPermitLimit(limit), ActorRefs.NoSender);

    public void SetRate(int perSecond, int burst) => _throttler.Tell(new SetQueryPermitRate(perSecond, burst), ActorRefs.NoSender);

    public void Dispose() => _throttler.Tell(PoisonPill.Instance, ActorRefs.NoSender);

    private void Granted(object slot)
    {
        if (_requested.Remove((StatementSlot)slot))
            ((StatementSlot)slot).Granted();
    }
}
