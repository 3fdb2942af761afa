using Akka.Actor;
using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled.Permits;

/// <summary>
/// Grants the permits of one journal, first come first served. Actors send to it and never ask it: a grant goes to the statement, not to an
/// actor, so that no stream that stops can take a permit with it. Its protocol is in <c>QueryThrottlerProtocol.cs</c>.
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
        Serve<QueryTokensDue>((_, now) => _ledger.Refill(now));
    }

    public ITimerScheduler Timers { get; set; } = null!;

    internal static Props Props(ThrottlerContext context) => Akka.Actor.Props.Create<QueryThrottler>(context).WithDispatcher(Dispatcher);

    // The ledger has outlived the restart. A permit can be due that the message which failed would have granted.
    protected override void PostRestart(Exception reason)
    {
        base.PostRestart(reason);
        _ledger.SetLimit(_context.Ledger.Limit, _context.Now());
        WaitForToken();
    }

    // Not as the base class, which calls PostStop: the journal goes on.
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
