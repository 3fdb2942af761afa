using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Tests.Ways;
using Akka.Streams;
using Akka.Streams.Dsl;
using Throttled.Journal.Sqlite;
using AkkaSerialization = Akka.Serialization.Serialization;

namespace Akka.Persistence.Query.Throttled.Tests.Envelopes;

/// <summary>A journal in a SQLite file to which the test writes, and read journals on it.</summary>
public abstract class EnvelopeKit(string config = "") : Akka.TestKit.Xunit2.TestKit($"{config}\nakka.loglevel = WARNING\n{AkkaTimeouts.Hocon}"), IAsyncLifetime
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-envelopes-");
    private JournalAppender? _appender;

    /// <summary>All queries of events.</summary>
    public static TheoryData<string> AllQueries => ["by id", "current by id", "by tag", "current by tag", "all", "current all", "slices", "current slices"];

    internal ActorMaterializer Materializer { get; private set; } = null!;

    internal QueryWay Way => field ??= QueryWay.Of(this, Sys, Materializer);

    internal string ConnectionString => $"Data Source={Path.Combine(_directory.FullName, "journal.db")}";

    public async Task InitializeAsync()
    {
        _appender = SqliteJournal.OpenAppender(ConnectionString);
        await _appender.CreateAsync();
        Materializer = Sys.Materializer();
    }

    public async Task DisposeAsync()
    {
        await Sys.Terminate();
        await _appender!.DisposeAsync();
        _directory.Delete(recursive: true);
    }

    internal ThrottledReadJournal Open(string settings = "") => ThrottledReadJournal.Open(
        (ExtendedActorSystem)Sys,
        ConfigurationFactory.ParseString($"""
            connection-string = "{ConnectionString}"
            provider-name = SQLite
            refresh-interval = 20ms
            {settings}
            """));

    internal Task AppendAsync(params IReadOnlyCollection<JournalEvent> events) => _appender!.AppendAsync(events);

    /// <summary>An event of the id "a" with the tag "tag", as a write plugin stores it.</summary>
    internal JournalEvent Stored(long number, object payload)
    {
        var serializer = Sys.Serialization.FindSerializerFor(payload);
        return new()
        {
            PersistenceId = "a",
            SequenceNumber = number,
            Payload = AkkaSerialization.WithTransport((ExtendedActorSystem)Sys, (serializer, payload), static each => each.serializer.ToBinary(each.payload)),
            SerializerId = serializer.Identifier,
            Manifest = AkkaSerialization.ManifestFor(serializer, payload),
            Tags = ["tag"],
        };
    }

    internal static Source<EventEnvelope, NotUsed> Query(ThrottledReadJournal journal, string query) => query switch
    {
        "by id" => journal.EventsByPersistenceId("a", 0, long.MaxValue),
        "current by id" => journal.CurrentEventsByPersistenceId("a", 0, long.MaxValue),
        "by tag" => journal.EventsByTag("tag", Offset.NoOffset()),
        "current by tag" => journal.CurrentEventsByTag("tag", Offset.NoOffset()),
        "all" => journal.AllEvents(Offset.NoOffset()),
        "current all" => journal.CurrentAllEvents(Offset.NoOffset()),
        "slices" => journal.EventsBySlices(0, 1023, Offset.NoOffset()),
        "current slices" => journal.CurrentEventsBySlices(0, 1023, Offset.NoOffset()),
        _ => throw new ArgumentOutOfRangeException(nameof(query)),
    };

    /// <summary>Reads the expected number of envelopes. A current query must end by itself.</summary>
    internal Task<IReadOnlyList<EventEnvelope>> ReadAsync(ThrottledReadJournal journal, string query, int count) =>
        Way.ReadAsync(Query(journal, query), query.StartsWith("current", StringComparison.Ordinal) ? null : count);

    internal Task<Exception> FailureAsync(ThrottledReadJournal journal, string query) => Way.FailureAsync(Query(journal, query));
}
