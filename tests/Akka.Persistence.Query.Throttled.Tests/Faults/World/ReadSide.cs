using Akka.Actor;
using Akka.Event;
using Akka.Streams;
using Akka.Streams.Dsl;
using Throttled.Journal;
using Throttled.Testing;

namespace Akka.Persistence.Query.Throttled.Tests.Faults.World;

/// <summary>An application's read side: an actor system with read journals, each under a name of its own, and its log.</summary>
internal sealed class ReadSide : IAsyncDisposable
{
    /// <summary>The name of the journal of tests that have one.</summary>
    internal const string Only = "read-journal";

    private static int _count;
    private readonly Dictionary<string, (ThrottledReadJournal Journal, StatementMeter Meter)> _journals;

    /// <param name="journals">The journals' names, which their sessions have too, and their settings.</param>
    internal ReadSide(params (string Name, string Settings)[] journals)
    {
        var name = $"read-side-{Interlocked.Increment(ref _count)}";
        System = ActorSystem.Create(name, $$"""
            akka {
              stdout-loglevel = off
              loglevel = INFO
              loggers = ["{{typeof(RecordingLogger).AssemblyQualifiedName}}"]
            }
            {{string.Concat(journals.Select(each => Section(each.Name, each.Settings)))}}
            """);
        Log = RecordingLogger.Of(name);
        Materializer = System.Materializer();
        _journals = journals.ToDictionary(each => each.Name, each => Open(PathOf(each.Name)));
    }

    internal ActorSystem System { get; }

    internal IMaterializer Materializer { get; }

    internal IReadOnlyCollection<LogEvent> Log { get; }

    internal ThrottledReadJournal Journal => JournalOf(Only);

    internal StatementMeter Meter => MeterOf(Only);

    internal static ReadSide Of(string settings) => new((Only, settings));

    internal ThrottledReadJournal JournalOf(string name) => _journals[name].Journal;

    internal StatementMeter MeterOf(string name) => _journals[name].Meter;

    /// <summary>Reads once, so that the journal is known to be there and a database that is slow from now on is slow for streams.</summary>
    internal Task HasReadAsync(string name = Only) => JournalOf(name)
        .CurrentEventsByPersistenceId("none", 0, long.MaxValue).RunWith(Sink.Ignore<EventEnvelope>(), Materializer).WithinAsync("the first query");

    /// <summary>How often the log has complained: warnings and errors.</summary>
    internal int Complaints => Log.Count(each => each.LogLevel() >= LogLevel.WarningLevel);

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
        var (meter, _) = StatementMeter.Of(() =>
        {
            journal = System.ReadJournalFor<ThrottledReadJournal>(path);
            return new JournalReader(journal.Engines[0]);
        });
        return (journal!, meter);
    }
}
