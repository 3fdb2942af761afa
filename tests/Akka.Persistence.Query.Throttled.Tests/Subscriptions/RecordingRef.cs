using Akka.Actor;
using Akka.Dispatch.SysMsg;

namespace Akka.Persistence.Query.Throttled.Tests.Subscriptions;

/// <summary>An actor reference without an actor: it passes each message to the test, watches too.</summary>
internal sealed class RecordingRef(Action<object> told, bool isLocal = true) : MinimalActorRef
{
    public override ActorPath Path { get; } = new RootActorPath(new("akka", "test")) / "recording";

    public override IActorRefProvider Provider => throw new NotSupportedException();

    public override bool IsLocal => isLocal;

    public override void SendSystemMessage(ISystemMessage message) => told(message);

    protected override void TellInternal(object message, IActorRef sender) => told(message);
}
