using Akka.Actor;
using Akka.Dispatch.SysMsg;

namespace Akka.Persistence.Query.Throttled.Reopening;

/// <summary>
/// Closes a read journal with its actor system. The guardian of system actors waits for whoever has registered with it, and asks when all user actors have
/// stopped: so their streams end with them and not by a journal that is closed, and statements end before the system does.
/// </summary>
internal sealed class TerminationGuard : ReceiveActor
{
    private readonly Func<Task> _close;

    public TerminationGuard(Func<Task> close)
    {
        _close = close;
        Receive<TerminationHook>(_ => CloseThenTell(Self));
    }

    private IInternalActorRef Guardian { get; } = ((ExtendedActorSystem)Context.System).SystemGuardian;

    internal static Props Props(Func<Task> close) => Akka.Actor.Props.Create<TerminationGuard>(close).WithDispatcher("akka.actor.internal-dispatcher");

    protected override void PreStart() => Guardian.Tell(RegisterTerminationHook.Instance, Self);

    private void CloseThenTell(IActorRef self) => _close().ContinueWith(
        closed =>
        {
            // What cannot be closed keeps nobody, and its exception is no news.
            _ = closed.Exception;
            Guardian.Tell(TerminationHookDone.Instance, self);
        },
        CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
}
