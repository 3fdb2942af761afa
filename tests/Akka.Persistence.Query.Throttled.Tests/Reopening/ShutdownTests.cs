using Akka.Actor;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Tests.Settings;
using Akka.Persistence.Query.Throttled.Tests.Ways;
using Akka.Streams;
using Akka.Streams.Dsl;
using System.Collections.Concurrent;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Reopening;

/// <summary>No stream of an actor fails in a regular shutdown.</summary>
public class ShutdownTests : IAsyncLifetime
{
    private const string UserActorsStay = "akka.coordinated-shutdown { run-by-actor-system-terminate = off, terminate-actor-system = off }";

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-shutdown-");

    private string ConnectionString => $"Data Source={Path.Combine(_directory.FullName, "journal.db")};Pooling=False";

    public async Task InitializeAsync()
    {
        await using var appender = SqliteJournal.OpenAppender(ConnectionString);
        await appender.CreateAsync();
        await appender.AppendAsync([new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = new byte[1], SerializerId = 4 }]);
    }

    public Task DisposeAsync()
    {
        _directory.Delete(recursive: true);
        return Task.CompletedTask;
    }

    [Fact]
    public async Task The_journal_is_open_while_user_actors_run()
    {
        await using var system = NewSystem();
        var journal = system.Open();
        var (way, read) = (QueryWay.Of(this, system.System), 0);
        // User actors run in this phase, and in no later one.
        CoordinatedShutdown.Get(system.System).AddTask(CoordinatedShutdown.PhaseBeforeActorSystemTerminate, "read on", async () =>
        {
            for (; read < 20; read++)
                Assert.Single(await way.ReadAsync(journal.CurrentAllEvents(Offset.NoOffset())));
            return Done.Instance;
        });
        await CoordinatedShutdown.Get(system.System).Run(CoordinatedShutdown.ClrExitReason.Instance).WithinAsync("the shutdown");
        Assert.Equal(20, read);
    }

    [Fact]
    public async Task Live_streams_complete_while_user_actors_run()
    {
        await using var system = NewSystem(UserActorsStay);
        var streams = await StartLiveAsync(system);
        await CoordinatedShutdown.Get(system.System).Run(CoordinatedShutdown.ClrExitReason.Instance).WithinAsync("the shutdown");
        await Task.WhenAll(streams).WithinAsync("the ends of the streams");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Live_streams_end_with_the_system(bool isCoordinated)
    {
        await using var system = NewSystem();
        var streams = await StartLiveAsync(system);
        await (isCoordinated ? CoordinatedShutdown.Get(system.System).Run(CoordinatedShutdown.ClrExitReason.Instance) : system.System.Terminate())
            .WithinAsync("the shutdown");
        try
        {
            await Task.WhenAll(streams).WithinAsync("the ends of the streams");
        }
        catch (ReceiverStoppedException)
        {
            // The system stopped a receiver before it handled the end of its subscription.
        }
    }

    [Fact]
    public async Task Actors_with_streams_stop_with_the_system_without_a_failure()
    {
        await using var system = NewSystem();
        var journal = system.Open();
        var failures = new ConcurrentQueue<Exception>();
        var started = 0;
        for (var i = 0; i < 200; i++)
            system.System.ActorOf(Props.Create(() => new Reader(journal, () => Interlocked.Increment(ref started), failures)));
        await Wait.UntilAsync(() => Volatile.Read(ref started) == 200, "all streams");
        await CoordinatedShutdown.Get(system.System).Run(CoordinatedShutdown.ClrExitReason.Instance).WithinAsync("the shutdown");
        Assert.Empty(failures);
    }

    [Fact]
    public async Task Live_streams_that_start_after_the_shutdown_complete_at_once()
    {
        await using var system = NewSystem(UserActorsStay);
        var journal = system.Open();
        await CoordinatedShutdown.Get(system.System).Run(CoordinatedShutdown.ClrExitReason.Instance).WithinAsync("the shutdown");
        Assert.Empty(await QueryWay.Of(this, system.System).ReadAsync(journal.AllEvents(Offset.NoOffset())));
    }

    /// <summary>Starts a live query of each kind, and waits for the existing event in each that has one.</summary>
    private async Task<Task[]> StartLiveAsync(ConfiguredSystem system)
    {
        var (way, read, journal) = (QueryWay.Of(this, system.System), 0, system.Open());
        Task[] streams =
        [
            ReadAsync(journal.AllEvents(Offset.NoOffset())),
            ReadAsync(journal.EventsByTag("tag", Offset.NoOffset())),
            ReadAsync(journal.EventsBySlices(0, 1023, Offset.NoOffset())),
            ReadAsync(journal.EventsByPersistenceId("a", 0, long.MaxValue)),
            ReadAsync(journal.PersistenceIds()),
        ];
        await Wait.UntilAsync(() => Volatile.Read(ref read) == 4, "the existing events");
        return streams;

        async Task ReadAsync<T>(Source<T, NotUsed> query)
            where T : class
        {
            await foreach (var _ in way.ItemsAsync(query))
                Interlocked.Increment(ref read);
        }
    }

    // The last phase of user actors ends only when the streams end.
    private ConfiguredSystem NewSystem(string settings = "") => new(
        $"{Hocon.Journal($"connection-string = \"{ConnectionString}\"")}\nakka.coordinated-shutdown.phases.before-actor-system-terminate.timeout = 90s\n{settings}");

    /// <summary>An actor that fails if its stream fails, to be restarted by its supervisor.</summary>
    private sealed class Reader : ReceiveActor
    {
        private readonly ThrottledReadJournal _journal;
        private readonly Action _started;

        public Reader(ThrottledReadJournal journal, Action started, ConcurrentQueue<Exception> failures)
        {
            (_journal, _started) = (journal, started);
            Receive<Status.Failure>(failure =>
            {
                failures.Enqueue(failure.Cause);
                throw failure.Cause;
            });
        }

        protected override void PreStart() => _journal.AllEvents(Offset.NoOffset())
            .RunForeach(_ => _started(), Context.Materializer()).PipeTo(Self, success: () => Done.Instance);
    }
}
