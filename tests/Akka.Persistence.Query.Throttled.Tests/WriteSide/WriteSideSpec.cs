using Akka.Actor;
using Akka.Persistence.Journal;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Streams;
using Akka.Streams.Dsl;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.WriteSide;

/// <summary>Entities persist through a real write plugin. Tests what the read journal delivers beyond Akka.NET's specs.</summary>
[TestCaseOrderer(SkippedWithoutServer.Type, SkippedWithoutServer.Assembly)]
public abstract class WriteSideSpec<TJournal> : Akka.TestKit.Xunit2.TestKit
    where TJournal : IWrittenJournal
{
    /// <summary>The tag of all events.</summary>
    protected const string Tag = "tag";

    private readonly WrittenJournal _written;

    protected WriteSideSpec(ITestOutputHelper output)
        : this(TJournal.New(), output)
    {
    }

    private WriteSideSpec(WrittenJournal written, ITestOutputHelper output)
        : base(written.Config, null, output)
    {
        _written = written;
        Materializer = Sys.Materializer();
        Sys.RegisterOnTermination(written.Remove);
    }

    protected ThrottledReadJournal Journal => WrittenJournal.OpenBeside(Sys);

    protected IMaterializer Materializer { get; }

    /// <summary>Another actor system on the same journal.</summary>
    protected ActorSystem NewSystem() => ActorSystem.Create("other", _written.Config);

    /// <summary>Persists tagged events in one batch.</summary>
    protected Task PersistAsync(string id, params string[] events) => PersistAsync(Sys, id, events);

    protected static Task PersistAsync(ActorSystem system, string id, params string[] events) =>
        TellAsync(system, id, new Writer.Batch([.. events.Select(each => new Tagged(each, [Tag]))]));

    protected Task TellAsync(string id, object command) => TellAsync(Sys, id, command);

    protected static async Task TellAsync(ActorSystem system, string id, object command)
    {
        var writer = system.ActorOf(Props.Create(() => new Writer(id)));
        await writer.Ask<Done>(command, TimeSpan.FromSeconds(60));
        // A persistence id has one entity at a time.
        await writer.GracefulStop(TimeSpan.FromSeconds(60));
    }

    protected LiveReading<T> Read<T>(Source<T, NotUsed> query) => LiveReading.Of(query.RunAsAsyncEnumerable(Materializer));

    /// <summary>All events of a query that ends.</summary>
    protected async Task<IReadOnlyList<T>> AllOfAsync<T>(Source<T, NotUsed> query) =>
        await query.RunWith(Sink.Seq<T>(), Materializer).WithinAsync("the end of a current query");

    /// <summary>The current queries that can deliver events of an id: by id, by tag, and all.</summary>
    protected Source<EventEnvelope, NotUsed>[] Current(string id) =>
        [Journal.CurrentEventsByPersistenceId(id, 0, long.MaxValue), Journal.CurrentEventsByTag(Tag, NoOffset.Instance), Journal.CurrentAllEvents(NoOffset.Instance)];

    /// <summary>The live queries that can deliver events of an id.</summary>
    protected Source<EventEnvelope, NotUsed>[] Live(string id) =>
        [Journal.EventsByPersistenceId(id, 0, long.MaxValue), Journal.EventsByTag(Tag, NoOffset.Instance), Journal.AllEvents(NoOffset.Instance)];

    protected static List<long> Numbers(IEnumerable<EventEnvelope> events) => [.. events.Select(each => each.SequenceNr)];

    protected static List<string> Texts(IEnumerable<EventEnvelope> events) => [.. events.Select(each => (string)each.Event)];
}
