using Akka.Actor;
using Akka.Dispatch.SysMsg;

namespace Akka.Persistence.Query.Throttled.Reopening;

/// <summary>
/// Closes a read journal with its actor system. When all user actors have stopped, the guardian of system actors calls the
/// registered hooks and waits for them. So streams end with their actors before the journal closes, and statements end before
/// the system does.
/// </summary>
internal sealed class TerminationGuard : ReceiveActor
{
    private readonly Func<Task> _close;
    private readonly TimeSpan _timeout;
    private readonly Action _late;

    /// <param name="close">Closes the journal.</param>
    /// <param name="timeout">The longest time for closing.</param>
    /// <param name="late">Called if closing takes longer; the system then terminates without it.</param>
    public TerminationGuard(Func<Task> close, TimeSpan timeout, Action late)
    {
        (_close, _timeout, _late) = (close, timeout, late);
        Receive<TerminationHook>(_ => CloseThenNotify(Self));
    }

    private IInternalActorRef Guardian { get; } = ((ExtendedActorSystem)Context.System).SystemGuardian;

    internal static Props Props(Func<Task> close, TimeSpan timeout, Action late) =>
        Akka.Actor.Props.Create<TerminationGuard>(close, timeout, late).WithDispatcher("akka.actor.internal-dispatcher");

    protected override void PreStart() => Guardian.Tell(RegisterTerminationHook.Instance, Self);

    private void CloseThenNotify(IActorRef self) => _close().WaitAsync(_timeout, TimeProvider.System).ContinueWith(
        closed =>
        {
            // A failure to close must not block the shutdown. Observe the exception.
            if (closed.Exception?.InnerException is TimeoutException)
                _late();
            Guardian.Tell(TerminationHookDone.Instance, self);
        },
        CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
}
