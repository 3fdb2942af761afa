using Akka.Actor;
using Akka.Configuration;
using Akka.Streams;
using Akka.Streams.Dsl;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Permits;

/// <summary>A journal ends before its actor system.</summary>
public sealed class ClosingTests : IAsyncLifetime
{
    private const string NoShutdown = "akka.coordinated-shutdown.run-by-actor-system-terminate = off";

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-closing-");

    private string ConnectionString => $"Data Source={Path.Combine(_directory.FullName, "journal.db")};Pooling=False";

    public async Task InitializeAsync()
    {
        await using var appender = SqliteJournal.OpenAppender(ConnectionString);
        await appender.CreateAsync();
        for (var id = 0; id < 20; id++)
        {
            await appender.AppendAsync(Enumerable.Range(1, 50).Select(number => new JournalEvent
            {
                PersistenceId = $"id-{id}", SequenceNumber = number, Payload = new byte[10], SerializerId = 4,
            }).ToList());
        }
    }

    public Task DisposeAsync()
    {
        _directory.Delete(recursive: true);
        return Task.CompletedTask;
    }

    [Theory]
    [InlineData(true, "")]
    [InlineData(false, "")]
    [InlineData(false, NoShutdown)]
    public async Task A_terminated_system_has_no_connection_to_the_file(bool isCoordinated, string settings)
    {
        using var system = ActorSystem.Create("closing", $"akka.loglevel = WARNING\n{settings}");
        var journal = Open(system, $"connection-string = \"{ConnectionString}\"\nprovider-name = SQLite\nmax-buffer-size = 7");
        var materializer = system.Materializer();
        var read = 0;
        for (var i = 0; i < 100; i++)
        {
            _ = journal.EventsByPersistenceId($"id-{i % 20}", 0, long.MaxValue)
                .RunForeach(_ => Interlocked.Increment(ref read), materializer);
        }
        await Wait.UntilAsync(() => Volatile.Read(ref read) > 500, "the streams to have read 500 events");

        if (isCoordinated)
            await CoordinatedShutdown.Get(system).Run(CoordinatedShutdown.ClrExitReason.Instance).WithinAsync("the shutdown");
        else
            await system.Terminate().WithinAsync("the termination");
        Assert.Equal("delete", await LeaveWalAsync());
    }

    [Fact]
    public async Task An_open_journal_keeps_its_file_in_WAL_mode()
    {
        using var system = ActorSystem.Create("closing", "akka.loglevel = OFF");
        var journal = Open(system, $"connection-string = \"{ConnectionString}\"\nprovider-name = SQLite");
        await journal.CurrentAllEvents(Offset.NoOffset()).RunWith(Sink.Ignore<EventEnvelope>(), system.Materializer());
        Assert.NotEqual("delete", await LeaveWalAsync());
        await system.Terminate();
    }

    // Only the last connection to a database can do this: https://www.sqlite.org/wal.html#activating_and_configuring_wal_mode
    private async Task<string> LeaveWalAsync()
    {
        await using var connection = new Microsoft.Data.Sqlite.SqliteConnection($"{ConnectionString};Default Timeout=1");
        await connection.OpenAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = "PRAGMA journal_mode = DELETE";
        try
        {
            return (string)(await command.ExecuteScalarAsync())!;
        }
        catch (Microsoft.Data.Sqlite.SqliteException error)
        {
            return error.Message;
        }
    }

    private static ThrottledReadJournal Open(ActorSystem system, string settings) =>
        ThrottledReadJournal.Open((ExtendedActorSystem)system, ConfigurationFactory.ParseString(settings));
}
