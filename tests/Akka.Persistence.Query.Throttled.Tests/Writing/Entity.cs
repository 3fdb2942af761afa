using Akka.Actor;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>A persistent actor that executes a list of steps, and records the order of its handlers.</summary>
internal sealed class Entity : UntypedPersistentActor
{
    private readonly List<string> _state = [];
    private readonly List<string> _handled = [];
    private readonly IActorRef _failures;
    private IActorRef _requester = ActorRefs.Nobody;
    private (IActorRef To, int Handlers)? _report;

    /// <param name="persistenceId">The id.</param>
    /// <param name="failures">Gets the errors of the journal.</param>
    public Entity(string persistenceId, IActorRef failures) => (PersistenceId, _failures) = (persistenceId, failures);

    public override string PersistenceId { get; }

    internal static Props Props(string persistenceId, IActorRef? failures = null) =>
        Akka.Actor.Props.Create(() => new Entity(persistenceId, failures ?? ActorRefs.Nobody));

    protected override void OnRecover(object message)
    {
        if (message is string text)
            _state.Add(text);
        if (message is SnapshotOffer offer)
            _state.AddRange((string[])offer.Snapshot);
    }

    protected override void OnCommand(object message)
    {
        switch (message)
        {
            case IReadOnlyList<Step> steps:
                foreach (var step in steps)
                    Do(step);
                break;
            case Report report:
                _report = (Sender, report.Handlers);
                SendReport();
                break;
            case TakeSnapshot:
                _requester = Sender;
                SaveSnapshot(_state.ToArray());
                break;
            case DeleteTo delete:
                _requester = Sender;
                DeleteMessages(delete.SequenceNumber);
                break;
            case DeleteMessagesSuccess or SaveSnapshotSuccess:
                _requester.Tell(Done.Instance);
                break;
            case DeleteMessagesFailure failure:
                _failures.Tell(failure.Cause);
                break;
            case Restart:
                throw new InvalidOperationException("restart");
        }
    }

    protected override void OnRecoveryFailure(Exception reason, object? message = null) => _failures.Tell(reason);

    protected override void OnPersistFailure(Exception cause, object @event, long sequenceNr) => _failures.Tell(cause);

    private void Do(Step step)
    {
        switch (step.Kind)
        {
            case StepKind.Persist:
                Persist(step.Events[0], Persisted);
                break;
            case StepKind.PersistAsync:
                PersistAsync(step.Events[0], Persisted);
                break;
            case StepKind.PersistAll:
                PersistAll(step.Events, Persisted);
                break;
            case StepKind.PersistAllAsync:
                PersistAllAsync(step.Events, Persisted);
                break;
            case StepKind.Defer:
                DeferAsync(step.Events[0], Handled);
                break;
        }
    }

    private void Persisted(string text)
    {
        _state.Add(text);
        Handled(text);
    }

    private void Handled(string text)
    {
        _handled.Add(text);
        SendReport();
    }

    private void SendReport()
    {
        if (_report is not { } report || _handled.Count < report.Handlers)
            return;
        report.To.Tell(new Reported([.. _state], [.. _handled], LastSequenceNr));
        _report = null;
    }

    internal enum StepKind
    {
        Persist,
        PersistAsync,
        PersistAll,
        PersistAllAsync,
        Defer,
    }

    internal sealed record Step(StepKind Kind, params IReadOnlyList<string> Events);

    /// <param name="Handlers">The number of handlers that must have been called before the answer.</param>
    internal sealed record Report(int Handlers);

    /// <param name="State">The events, replayed or persisted since.</param>
    /// <param name="Handled">The arguments of the handlers, in order.</param>
    /// <param name="LastSequenceNr">The highest sequence number.</param>
    internal sealed record Reported(IReadOnlyList<string> State, IReadOnlyList<string> Handled, long LastSequenceNr);

    internal sealed record TakeSnapshot;

    internal sealed record DeleteTo(long SequenceNumber);

    internal sealed record Restart;
}
