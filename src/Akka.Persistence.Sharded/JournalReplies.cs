using Akka.Actor;

namespace Akka.Persistence.Sharded;

/// <summary>Answers messages of the journal protocol that no write plugin gets, as Akka.NET's own journals answer them.</summary>
internal static class JournalReplies
{
    /// <summary>Answers a message with a failure.</summary>
    /// <returns>False if the message is not one of the journal protocol.</returns>
    internal static bool Failed(PendingRequest request, Exception cause, IActorRef journal)
    {
        switch (request.Message)
        {
            case WriteMessages write:
                write.PersistentActor.Tell(new WriteMessagesFailed(cause, write.Messages.Count(each => each is AtomicWrite)), journal);
                Each(write, journal, each => new WriteMessageFailure(each, cause, write.ActorInstanceId));
                return true;
            case ReplayMessages replay:
                replay.PersistentActor.Tell(new ReplayMessagesFailure(cause), journal);
                return true;
            case DeleteMessagesTo delete:
                delete.PersistentActor.Tell(new DeleteMessagesFailure(cause, delete.ToSequenceNr), journal);
                return true;
            case CheckJournalHealth:
                request.Sender.Tell(new JournalHealthCheckResponse(new(PersistenceHealthStatus.Unhealthy, cause.Message, cause)), journal);
                return true;
            default:
                return false;
        }
    }

    /// <summary>Returns the messages that an actor only deferred.</summary>
    internal static void Looped(WriteMessages write, IActorRef journal)
    {
        write.PersistentActor.Tell(WriteMessagesSuccessful.Instance, journal);
        Each(write, journal, _ => throw new InvalidOperationException("An event cannot be given back."));
    }

    // An actor takes each answer for the next one that it expects, so send the answers in the order of the messages, from their senders.
    private static void Each(WriteMessages write, IActorRef journal, Func<IPersistentRepresentation, object> answer)
    {
        foreach (var message in write.Messages)
        {
            if (message is not AtomicWrite events)
                write.PersistentActor.Tell(new LoopMessageSuccess(message.Payload, write.ActorInstanceId), message.Sender ?? ActorRefs.NoSender);
            else
            {
                foreach (var each in (IEnumerable<IPersistentRepresentation>)events.Payload)
                    write.PersistentActor.Tell(answer(each), each.Sender ?? journal);
            }
        }
    }
}
