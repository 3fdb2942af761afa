using Akka.Actor;
using Akka.Dispatch.SysMsg;

namespace Akka.Persistence.Query.Throttled.Reopening;

/// <summary>
/// Closes a read journal with its actor system. When all user actors have stopped, the guardian of system actors calls the registered hooks and waits for
/// them. So streams end with their actors before the journal closes, and statements end before the system does.
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
            // A failure to close must not block the shutdown. Observe the exception.
            _ = closed.Exception;
            Guardian.Tell(TerminationHookDone.Instance, self);
        },
        CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
}
