using Akka.Actor;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Tests.Ways;
using Akka.Streams;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Faults.World;

/// <summary>The read side of an application: an actor system with named read journals, and its log.</summary>
internal sealed class ReadSide : IAsyncDisposable
{
    /// <summary>The name of the journal in tests with one journal.</summary>
    internal const string Only = "read-journal";

    private static int _count;
    private readonly Dictionary<string, (ThrottledReadJournal Journal, StatementMeter Meter)> _journals;

    /// <param name="journals">The names and settings of the journals. The sessions of a journal have its name too.</param>
    internal ReadSide(params (string Name, string Settings)[] journals)
    {
        var name = $"read-side-{Interlocked.Increment(ref _count)}";
        System = ActorSystem.Create(name, $$"""
            akka {
              stdout-loglevel = off
              loglevel = INFO
              loggers = ["{{typeof(RecordingLogger).AssemblyQualifiedName}}"]
              coordinated-shutdown.phases.before-actor-system-terminate.timeout = 90s
            }
            {{string.Concat(journals.Select(each => Section(each.Name, each.Settings)))}}
            """);
        Log = RecordingLogger.Of(name);
        Materializer = System.Materializer();
        _journals = journals.ToDictionary(each => each.Name, each => Open(PathOf(each.Name)));
    }

    internal ActorSystem System { get; }

    internal IMaterializer Materializer { get; }

    /// <summary>Streams and subscriptions. Crowds have both.</summary>
    internal IReadOnlyList<QueryWay> Ways => field ??= [new StreamWay(Materializer), new SubscriptionWay(System.ActorOf)];

    internal IReadOnlyCollection<LogEvent> Log { get; }

    internal ThrottledReadJournal Journal => JournalOf(Only);

    internal StatementMeter Meter => MeterOf(Only);

    internal static ReadSide Of(string settings) => new((Only, settings));

    internal ThrottledReadJournal JournalOf(string name) => _journals[name].Journal;

    internal StatementMeter MeterOf(string name) => _journals[name].Meter;

    /// <summary>Reads once. The journal is known to exist then, so a slow database delays only the streams.</summary>
    internal Task HasReadAsync(string name = Only) => JournalOf(name)
        .CurrentEventsByPersistenceId("none", 0, long.MaxValue).RunWith(Sink.Ignore<EventEnvelope>(), Materializer).WithinAsync("the first query");

    /// <summary>The number of logged warnings and errors.</summary>
    internal int WarningsAndErrors => Log.Count(each => each.LogLevel() >= LogLevel.WarningLevel);

    public async ValueTask DisposeAsync()
    {
        await System.Terminate().WithinAsync("the end of the actor system");
        foreach (var (_, meter) in _journals.Values)
            meter.Dispose();
    }

    private static string PathOf(string name) => $"akka.persistence.query.journal.{name}";

    private static string Section(string name, string settings) => $$"""
        {{PathOf(name)}} {
          class = "{{typeof(ThrottledReadJournalProvider).AssemblyQualifiedName}}"
          {{settings}}
        }

        """;

    private (ThrottledReadJournal, StatementMeter) Open(string path)
    {
        ThrottledReadJournal? journal = null;
        var meter = StatementMeter.Of(() =>
        {
            journal = System.ReadJournalFor<ThrottledReadJournal>(path);
            return journal.Engines;
        });
        return (journal!, meter);
    }
}
