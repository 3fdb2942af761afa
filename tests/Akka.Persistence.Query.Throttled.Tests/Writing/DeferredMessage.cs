using Akka.Actor;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>What an actor defers, as it goes to the journal; Akka.NET keeps its own to itself.</summary>
internal sealed record DeferredMessage(object Payload, IActorRef Sender) : IPersistentEnvelope
{
    public int Size => 1;
}
