using Akka.Actor;

namespace Akka.Persistence.Query.Throttled.Writing;

/// <summary>A message, and who sent it.</summary>
internal readonly record struct Letter(object Message, IActorRef Sender);
