using Akka.Actor;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>A deferred message on its way to the journal; the type of Akka.NET is internal.</summary>
internal sealed record DeferredMessage(object Payload, IActorRef Sender) : IPersistentEnvelope
{
    public int Size => 1;
}
