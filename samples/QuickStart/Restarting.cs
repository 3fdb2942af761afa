using Akka;
using Akka.Persistence.Query;
using Akka.Persistence.Query.Throttled;
using Akka.Streams;
using Akka.Streams.Dsl;

/// <summary>
/// A stream that starts again after a failure that an operator can cure, such as a missing right. A restart of the database
/// does not fail the stream.
/// </summary>
internal static class Restarting
{
    /// <param name="stored">Reads the offset of the last event that was handled.</param>
    internal static Source<EventEnvelope, NotUsed> Orders(ThrottledReadJournal journal, Func<Offset> stored) => RestartSource.WithBackoff(
        () => journal.EventsByTag("order", stored()),
        RestartSettings.Create(minBackoff: TimeSpan.FromSeconds(1), maxBackoff: TimeSpan.FromMinutes(1), randomFactor: 0.2));
}
