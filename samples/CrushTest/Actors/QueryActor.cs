using Akka;
using Akka.Actor;
using Akka.Persistence.Query;
using Akka.Streams;
using Akka.Streams.Dsl;
using CrushTest.Engine;

namespace CrushTest.Actors;

/// <summary>Shared by all actors of a round.</summary>
internal sealed record QueryParts(
    Func<int, Source<EventEnvelope, NotUsed>> Open, IMaterializer Materializer, Tally Tally, IActorRef Tracker);

/// <summary>An actor has all its events, or its stream has ended before.</summary>
internal sealed record QueryFinished
{
    internal static QueryFinished Instance { get; } = new();
}

/// <summary>Completes a task when all actors have finished.</summary>
internal sealed class Tracker(int unfinished, TaskCompletionSource end) : UntypedActor
{
    private int _unfinished = unfinished;

    protected override void OnReceive(object message)
    {
        if (message is QueryFinished && --_unfinished == 0)
            end.SetResult();
    }
}

/// <summary>Runs a stream into itself, and checks its events. Streams are not restarted; a stream that ends counts as failed.</summary>
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
