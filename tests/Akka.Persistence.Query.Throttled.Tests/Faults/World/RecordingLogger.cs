using System.Collections.Concurrent;
using Akka.Actor;
using Akka.Event;

namespace Akka.Persistence.Query.Throttled.Tests.Faults.World;

/// <summary>Keeps the log events of the actor systems of tests, by the name of the system.</summary>
public sealed class RecordingLogger : ReceiveActor
{
    private static readonly ConcurrentDictionary<string, ConcurrentQueue<LogEvent>> Logs = new();

    public RecordingLogger()
    {
        var events = Of(Context.System.Name);
        Receive<InitializeLogger>(_ => Sender.Tell(new LoggerInitialized()));
        Receive<LogEvent>(events.Enqueue);
    }

    internal static ConcurrentQueue<LogEvent> Of(string system) => Logs.GetOrAdd(system, _ => new());
}
