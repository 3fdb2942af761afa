using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Streams;
using Akka.Streams.Dsl;
using Npgsql;
using Throttled.Journal.PostgreSql;

namespace Akka.Persistence.Query.Throttled.Tests.Permits;

public sealed class PostgreSqlClosingTests
{
    [PostgreSqlFact]
    public async Task A_terminated_system_leaves_no_statement_running_on_the_server()
    {
        var connectionString = SharedServer.Server.CreateDatabase();
        await using var appender = PostgreSqlJournal.OpenAppender(connectionString);
        await appender.CreateAsync();
        await appender.AppendAsync([new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = new byte[1], SerializerId = 4 }]);
        await using var other = NpgsqlDataSource.Create($"{connectionString};Application Name=other");
        using var system = ActorSystem.Create("closing", "akka.loglevel = OFF\nakka.coordinated-shutdown.run-by-actor-system-terminate = off");
        var journal = ThrottledReadJournal.Open((ExtendedActorSystem)system, ConfigurationFactory.ParseString(
            $"connection-string = \"{connectionString};Application Name=reader\"\nprovider-name = PostgreSQL"));
        var materializer = system.Materializer();
        await journal.EventsByPersistenceId("a", 0, 1).RunWith(Sink.Ignore<EventEnvelope>(), materializer);

        // The next statement waits for this lock, like a slow statement.
        await using var connection = await other.OpenConnectionAsync();
        await using var transaction = await connection.BeginTransactionAsync();
        await using var command = new NpgsqlCommand("LOCK TABLE journal IN ACCESS EXCLUSIVE MODE", connection, transaction);
        await command.ExecuteNonQueryAsync();
        _ = journal.CurrentEventsByPersistenceId("a", 0, long.MaxValue).RunWith(Sink.Ignore<EventEnvelope>(), materializer);
        await Wait.UntilAsync(async () => await CountAsync(other, "AND wait_event_type = 'Lock'") > 0, () => "a statement that waits");

        await system.Terminate().WithinAsync("the termination");
        Assert.Equal(0, await CountAsync(other, "AND state <> 'idle'"));
    }

    private static async Task<long> CountAsync(NpgsqlDataSource source, string condition)
    {
        await using var command = source.CreateCommand(
            $"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'reader' {condition}");
        return (long)(await command.ExecuteScalarAsync())!;
    }
}
