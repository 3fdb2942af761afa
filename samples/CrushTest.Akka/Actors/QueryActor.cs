using Akka;
using Akka.Actor;
using Akka.Persistence.Query;
using Akka.Streams.Dsl;

namespace CrushTest.Akka.Actors;

/// <summary>Runs a stream into itself, and checks what comes. Nothing is started again: a stream that ends is a failure.</summary>
/// <param name="index">Which one of all.</param>
/// <param name="parts">What all work with.</param>
internal sealed class QueryActor(int index, QueryParts parts) : UntypedActor
{
    protected override void PreStart() => parts.Open(index)
        .To(Sink.ActorRef<EventEnvelope>(Self, Done.Instance, static error => new Status.Failure(error)))
        .Run(parts.Materializer);

    protected override void OnReceive(object message)
    {
        switch (message)
        {
            case EventEnvelope envelope:
                if (parts.Tally.Take(index, envelope.PersistenceId, envelope.SequenceNr))
                    parts.Tracker.Tell(QueryFinished.Instance);
                break;
            case Status.Failure failure:
                Ended(failure.Cause);
                break;
            case Done:
                Ended(new InvalidOperationException("The live query ended by itself."));
                break;
            default:
                Unhandled(message);
                break;
        }
    }

    private void Ended(Exception error)
    {
        if (parts.Tally.Ended(index, error))
            parts.Tracker.Tell(QueryFinished.Instance);
    }
}
