using Akka.Actor;
using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled.Permits;

/// <summary>
/// Grants the permits of one journal, first come first served. It does not reply to senders: a grant goes to the statement, not
/// to an actor. So a stream that stops cannot take a permit with it. Its protocol is in <c>QueryThrottlerProtocol.cs</c>.
/// </summary>
internal sealed class QueryThrottler : ReceiveActor, IWithTimers
{
    private const string Dispatcher = "akka.actor.internal-dispatcher";

    private readonly ThrottlerContext _context;
    private readonly TimedLedger _ledger;

    public QueryThrottler(ThrottlerContext context)
    {
        _context = context;
        _ledger = new(context.Ledger, context.Tokens, context.Grant);
        Serve<RequestQueryPermit>((request, now) => _ledger.Request(request.Slot, now));
        Serve<ReturnQueryPermit>((returned, now) => _ledger.Return(returned.Slot, now));
        Serve<SetQueryPermitLimit>((change, now) => _ledger.SetLimit(change.Limit, now));
        Serve<SetQueryPermitRate>((change, now) => _ledger.SetTokens(_context.Tokens = TokenClock.Of(change.PerSecond, change.Burst, now), now));
        Serve<QueryTokensDue>((_, now) => _ledger.Refill(now));
    }

    public ITimerScheduler Timers { get; set; } = null!;

    internal static Props Props(ThrottlerContext context) => Akka.Actor.Props.Create<QueryThrottler>(context).WithDispatcher(Dispatcher);

    // The ledger survives the restart. The failed message may have left a permit that is due, so grant it now.
    protected override void PostRestart(Exception reason)
    {
        base.PostRestart(reason);
        _ledger.SetLimit(_context.Ledger.Limit, _context.Now());
        WaitForToken();
    }

    // The base class would call PostStop, which means that the actor has stopped for good; but the journal goes on.
    protected override void PreRestart(Exception reason, object message)
    {
    }

    protected override void PostStop() => _context.Stopped();

    private void Serve<T>(Action<T, TimeSpan> serve) => Receive<T>(message =>
    {
        serve(message, _context.Now());
        WaitForToken();
    });

    private void WaitForToken()
    {
        if (_ledger.Wait is { } wait && !Timers.IsTimerActive(QueryTokensDue.Instance))
            Timers.StartSingleTimer(QueryTokensDue.Instance, QueryTokensDue.Instance, wait);
    }
}
