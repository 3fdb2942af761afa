using Akka;
using Akka.Actor;
using Akka.Persistence.Query;
using Akka.Streams;
using Akka.Streams.Dsl;
using CrushTest.Engine;

namespace CrushTest.Actors;

/// <summary>What all actors of a round share.</summary>
/// <param name="Open">The stream of one of them.</param>
/// <param name="Materializer">Runs the streams.</param>
/// <param name="Tally">Checks what comes.</param>
/// <param name="Tracker">Told when one has finished.</param>
internal sealed record QueryParts(
    Func<int, Source<EventEnvelope, NotUsed>> Open, IMaterializer Materializer, Tally Tally, IActorRef Tracker);

/// <summary>An actor has all its events, or its stream has failed before.</summary>
internal sealed record QueryFinished
{
    internal static QueryFinished Instance { get; } = new();
}

/// <summary>Knows when all actors have finished.</summary>
/// <param name="unfinished">How many there are.</param>
/// <param name="end">Told at the end.</param>
internal sealed class Tracker(int unfinished, TaskCompletionSource end) : UntypedActor
{
    private int _unfinished = unfinished;

    protected override void OnReceive(object message)
    {
        if (message is QueryFinished && --_unfinished == 0)
            end.SetResult();
    }
}

/// <summary>Runs a stream into itself, and checks what comes. No stream is started again: one that ends has failed.</summary>
/// <param name="index">Which one of all.</param>
/// <param name="parts">What all share.</param>
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
