using Akka.Actor;

namespace Akka.Persistence.Query.Throttled.Tests.WriteSide;

/// <summary>An entity that executes commands, and answers each with <see cref="Done"/>.</summary>
internal sealed class Writer(string persistenceId) : UntypedPersistentActor
{
    private IActorRef _requester = ActorRefs.Nobody;

    public override string PersistenceId => persistenceId;

    protected override void OnRecover(object message)
    {
    }

    protected override void OnCommand(object message)
    {
        switch (message)
        {
            case Batch batch:
                var requester = Sender;
                PersistAll(batch.Events, _ => { });
                DeferAsync(batch, _ => requester.Tell(Done.Instance));
                break;
            case DeleteTo delete:
                _requester = Sender;
                DeleteMessages(delete.SequenceNumber);
                break;
            case TakeSnapshot:
                _requester = Sender;
                SaveSnapshot("state");
                break;
            case DeleteMessagesSuccess or SaveSnapshotSuccess:
                _requester.Tell(Done.Instance);
                break;
        }
    }

    /// <summary>Events to persist as one.</summary>
    internal sealed record Batch(IReadOnlyList<object> Events);

    internal sealed record DeleteTo(long SequenceNumber);

    internal sealed record TakeSnapshot;
}
