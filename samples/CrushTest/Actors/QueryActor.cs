using Akka;
using Akka.Actor;
using Akka.Persistence.Query;
using Akka.Persistence.Query.Throttled;
using CrushTest.Engine;

namespace CrushTest.Actors;

/// <summary>Shared by all actors of a round.</summary>
/// <param name="Start">Starts the query with an index for an actor: runs a stream, or subscribes.</param>
internal sealed record QueryParts(Action<int, IActorRef> Start, Tally Tally, IActorRef Tracker);

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

/// <summary>Has a query, and checks its events. Queries are not restarted; a query that ends counts as failed.</summary>
internal sealed class QueryActor(int index, QueryParts parts) : UntypedActor
{
    protected override void PreStart() => parts.Start(index, Self);

    protected override void OnReceive(object message)
    {
        switch (message)
        {
            case EventEnvelope envelope:
                Take(envelope);
                break;
            case EventsDelivered delivered:
                foreach (var each in delivered.Events)
                    Take(each);
                delivered.Subscription.Request(delivered.Events.Count);
                break;
            case Status.Failure failure:
                Ended(failure.Cause);
                break;
            case SubscriptionFailed failed:
                Ended(failed.Cause);
                break;
            case Done or SubscriptionCompleted:
                Ended(new InvalidOperationException("The live query ended by itself."));
                break;
            default:
                Unhandled(message);
                break;
        }
    }

    private void Take(EventEnvelope envelope)
    {
        if (parts.Tally.Take(index, envelope.PersistenceId, envelope.SequenceNr))
            parts.Tracker.Tell(QueryFinished.Instance);
    }

    private void Ended(Exception error)
    {
        if (parts.Tally.Ended(index, error))
            parts.Tracker.Tell(QueryFinished.Instance);
    }
}
