using Akka.Actor;
using Akka.Event;

namespace CrushTest.Akka.Actors;

/// <summary>Collects what the actor system warns of, the first of each source.</summary>
/// <param name="warnings">Where to.</param>
internal sealed class WarningList(SortedDictionary<string, string> warnings) : UntypedActor
{
    protected override void PreStart()
    {
        Context.System.EventStream.Subscribe(Self, typeof(Warning));
        Context.System.EventStream.Subscribe(Self, typeof(Error));
    }

    protected override void OnReceive(object message)
    {
        if (message is not LogEvent logged)
            return;
        lock (warnings)
            warnings.TryAdd(logged.LogSource, $"{logged.Message}");
    }
}
