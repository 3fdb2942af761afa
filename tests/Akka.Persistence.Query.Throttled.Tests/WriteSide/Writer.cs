using Akka.Actor;

namespace Akka.Persistence.Query.Throttled.Tests.WriteSide;

/// <summary>An entity that does as it is told, and answers <see cref="Done"/> when that is done.</summary>
internal sealed class Writer(string persistenceId) : UntypedPersistentActor
{
    private IActorRef _asker = ActorRefs.Nobody;

    public override string PersistenceId => persistenceId;

    protected override void OnRecover(object message)
    {
    }

    protected override void OnCommand(object message)
    {
        switch (message)
        {
            case Batch batch:
                var asker = Sender;
                PersistAll(batch.Events, _ => { });
                DeferAsync(batch, _ => asker.Tell(Done.Instance));
                break;
            case DeleteTo delete:
                _asker = Sender;
                DeleteMessages(delete.SequenceNumber);
                break;
            case TakeSnapshot:
                _asker = Sender;
                SaveSnapshot("state");
                break;
            case DeleteMessagesSuccess or SaveSnapshotSuccess:
                _asker.Tell(Done.Instance);
                break;
        }
    }

    /// <summary>Events to persist as one.</summary>
    internal sealed record Batch(IReadOnlyList<object> Events);

    internal sealed record DeleteTo(long SequenceNumber);

    internal sealed record TakeSnapshot;
}
