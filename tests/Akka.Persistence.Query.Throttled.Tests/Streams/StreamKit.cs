using System.Text;
using Akka.Actor;
using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Persistence.Query.Throttled.Permits;
using Akka.Persistence.Query.Throttled.Streams;
using Akka.Persistence.Query.Throttled.Subscriptions;
using Akka.Persistence.Query.Throttled.Tests.Ways;
using Akka.Streams;
using Akka.Streams.Dsl;
using Akka.Streams.Implementation;
using Throttled.Journal.Loop;
using Throttled.Journal.Permits;
using Throttled.Journal.Queries;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

/// <summary>Streams from a SQLite journal through the stage and the throttler. The test can block the statements.</summary>
public abstract class StreamKit(string config = "") : Akka.TestKit.Xunit2.TestKit($"akka.loglevel = WARNING\n{AkkaTimeouts.Hocon}\n{config}"), IAsyncLifetime
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-streams-");
    private JournalAppender? _appender;
    private JournalReader? _reader;

    private string ConnectionString => $"Data Source={Path.Combine(_directory.FullName, "journal.db")}";

    internal BlockingDatabase Database { get; private set; } = null!;

    internal StatementMeter Meter { get; private set; } = null!;

    internal JournalReader Reader => _reader!;

    internal IActorRef Throttler { get; private set; } = null!;

    internal ActorMaterializer Materializer { get; private set; } = null!;

    internal QueryWay Way => field ??= QueryWay.Of(this, Sys, Materializer);

    private JournalSubscriptions Subscriptions =>
        field ??= new(running: null, () => ((ExtendedActorSystem)Sys).SystemActorOf(ReceiverWatcher.Props(), "receiver-watcher"), new ThreadPoolScheduler());

    public virtual async Task InitializeAsync()
    {
        _appender = SqliteJournal.OpenAppender(ConnectionString);
        await _appender.CreateAsync();
        Materializer = Sys.Materializer();
    }

    public async Task DisposeAsync()
    {
        Database?.Unblock();
        if (_reader is not null)
            await _reader.DisposeAsync();
        Meter?.Dispose();
        await Sys.Terminate();
        if (_appender is not null)
            await _appender.DisposeAsync();
        _directory.Delete(recursive: true);
    }

    internal void Open(JournalOptions? options = null)
    {
        options = (options ?? new()) with { RefreshInterval = TimeSpan.FromMilliseconds(20) };
        Database = new(SqliteJournal.OpenDatabase(ConnectionString, options));
        Database.Unblock();
        (Meter, _reader) = StatementMeter.Of(() => new(new JournalEngine(Database, options, new EngineOverrides
        {
            Permits = context => new ActorPermits(context.Loop, grant => Throttler = ((ExtendedActorSystem)Sys).SystemActorOf(
                QueryThrottler.Props(new()
                {
                    Ledger = PermitLedger.Of(options),
                    Tokens = null,
                    Now = () => context.Loop.Now,
                    Grant = grant,
                    Stopped = () => _ = _reader!.DisposeAsync().AsTask(),
                }),
                "query-throttler")),
            Closed = () => new JournalException("The journal is closed."),
        })));
    }

    internal Source<JournalEvent, NotUsed> Stream(IAsyncEnumerable<JournalEvent> query) => Stream(query, new EventAsItIs());

    internal Source<string, NotUsed> Stream(IAsyncEnumerable<string> query) => Source.FromGraph(
        new ThrottledQueryStage<string, string>(((JournalQuery<string>)query).Open, new IdDecoder(), Subscriptions));

    internal Source<T, NotUsed> Stream<T>(IAsyncEnumerable<JournalEvent> query, IItemDecoder<JournalEvent, T> decoder)
        where T : class => Source.FromGraph(
            new ThrottledQueryStage<JournalEvent, T>(((JournalQuery<JournalEvent>)query).Open, decoder, Subscriptions));

    internal Task AppendAsync(string id, int count, int from = 1) => _appender!.AppendAsync(
        [.. Enumerable.Range(from, count).Select(number => new JournalEvent
        {
            PersistenceId = id, SequenceNumber = number, Payload = Encoding.UTF8.GetBytes($"{id} {number}"), SerializerId = 4, Tags = ["tag"],
        })]);

    internal static IEnumerable<long> Numbers(int from, int count) => Enumerable.Range(from, count).Select(number => (long)number);

    /// <summary>Waits until all earlier requests of streams have at least begun.</summary>
    internal async Task FenceAsync() => await Reader.Engine.CheckHealthAsync(default);

    /// <summary>Waits until no stream, statement or permit is left.</summary>
    internal async Task AtRestAsync()
    {
        await Wait.UntilAsync(
            () => (Meter.PermitsUsed, Meter.Waiting, Meter.Following, Meter.Lagging, Meter.Buffered, Database.Running) == default,
            () => $"rest: {Meter.PermitsUsed} permits, {Meter.Waiting} waiting, {Meter.Following} following, {Meter.Lagging} lagging, "
                + $"{Meter.Buffered} bytes, {Database.Running} statements");
        await Wait.UntilAsync(async () => await StreamsAsync() == 0, () => "all streams to end");
    }

    private async Task<int> StreamsAsync()
    {
        if (Materializer.IsShutdown)
            return 0;
        Materializer.Supervisor.Tell(StreamSupervisor.GetChildren.Instance, TestActor);
        return (await ExpectMsgAsync<StreamSupervisor.Children>()).Refs.Count;
    }

    private sealed class EventAsItIs : IItemDecoder<JournalEvent, JournalEvent>
    {
        public JournalEvent Decode(JournalEvent item, out Queue<JournalEvent>? rest)
        {
            rest = null;
            return item;
        }
    }
}
