using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Streams;
using Akka.Streams.Dsl;
using Npgsql;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

[Collection(OnPostgreSql.Name)]
public sealed class PostgreSqlHostTests(PostgreSqlFixture fixture)
{
    [PostgreSqlFact]
    public async Task A_live_query_delivers_existing_and_new_events()
    {
        await using var journal = await TestJournal.InPostgreSqlAsync(fixture.Server);
        await journal.AppendAsync("a");
        await using var app = await TestApp.StartAsync(builder => builder.WithThrottledReadJournal(journal.ConnectionString, "PostgreSQL.15"));
        var first = app.FirstAsync(app.Journal().EventsByTag("red", NoOffset.Instance), 1);
        var both = app.FirstAsync(app.Journal().EventsByTag("red", NoOffset.Instance), 2);
        await first;
        await journal.AppendAsync("b");
        Assert.Equal(["a", "b"], (await both).Select(each => each.PersistenceId));
    }

    [PostgreSqlFact]
    public async Task Journals_side_by_side_read_from_their_own_data_sources()
    {
        await using var one = await TestJournal.InPostgreSqlAsync(fixture.Server);
        await using var other = await TestJournal.InPostgreSqlAsync(fixture.Server);
        await one.AppendAsync("of-one");
        await other.AppendAsync("of-other");
        await using var oneSource = NpgsqlDataSource.Create(one.ConnectionString);
        await using var otherSource = NpgsqlDataSource.Create(other.ConnectionString);
        await using (var app = await TestApp.StartAsync(builder => builder
            .WithThrottledReadJournal(oneSource)
            .WithThrottledReadJournal(otherSource, options => options.Identifier = "orders")))
        {
            Assert.Equal("of-one", (await app.FirstAsync(app.Journal().AllEvents(NoOffset.Instance), 1))[0].PersistenceId);
            Assert.Equal("of-other", (await app.FirstAsync(app.Journal("orders").AllEvents(NoOffset.Instance), 1))[0].PersistenceId);
        }
        // The application disposes the data source.
        await using var connection = await oneSource.OpenConnectionAsync();
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Two_processes_with_streams_and_projections_leave_a_connection_for_an_operator()
    {
        using var server = PostgreSqlServer.Start(maxConnections: 24);
        await using var journal = await TestJournal.InPostgreSqlAsync(server);
        await journal.AppendAsync("a");
        await using var one = await StartAsync();
        await using var other = await StartAsync();
        TestApp[] both = [one, other];
        foreach (var app in both)
            Assert.Single(await app.FirstAsync(app.Journal().AllEvents(NoOffset.Instance), 1));
        await using var admin = new NpgsqlConnection(new NpgsqlConnectionStringBuilder(journal.ConnectionString) { Pooling = false }.ConnectionString);
        await admin.OpenAsync();
        await RunAsync(admin, "CREATE ROLE operator LOGIN PASSWORD 'secret'");
        await using var transaction = await admin.BeginTransactionAsync();
        await RunAsync(admin, "LOCK TABLE journal IN ACCESS EXCLUSIVE MODE");

        // Each query has its own statement, and no statement ends.
        List<Task> reading = [];
        foreach (var app in both)
        {
            for (var i = 0; i < 15; i++)
            {
                reading.Add(app.Journal().CurrentEventsByPersistenceId($"stream-{i}", 0, 9).RunWith(Sink.Ignore<EventEnvelope>(), app.System.Materializer()));
                reading.Add(app.Journal().Reader.CurrentEventsByPersistenceId($"projection-{i}").AllAsync());
            }
        }
        // Ordinary users have 21 connections. Two stay for an operator; a process gets half of the others, less those of the tail and the listener.
        const int permits = 7;
        await Wait.UntilAsync(async () => await WaitingAsync(admin) >= 2 * permits, () => "all permits to be in use");
        await using var operatorsOwn = new NpgsqlConnection(new NpgsqlConnectionStringBuilder(journal.ConnectionString)
        {
            Pooling = false, Username = "operator", Password = "secret",
        }.ConnectionString);
        await operatorsOwn.OpenAsync();
        await transaction.RollbackAsync();
        await Task.WhenAll(reading).WithinAsync("the queries");

        Task<TestApp> StartAsync() => TestApp.StartAsync(
            akka => akka.WithThrottledReadJournal(journal.ConnectionString, "PostgreSQL", options => options.MaxQueriesPerStatement = 1));
    }

    private static async Task RunAsync(NpgsqlConnection connection, string sql)
    {
        await using var command = new NpgsqlCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }

    private static async Task<long> WaitingAsync(NpgsqlConnection connection)
    {
        await using var command = new NpgsqlCommand("SELECT count(*) FROM pg_locks WHERE NOT granted", connection);
        return (long)(await command.ExecuteScalarAsync())!;
    }
}
