using Akka.Actor;
using Akka.Cluster.Hosting;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Remote.Hosting;
using Akka.Streams;
using Akka.Streams.Dsl;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Budget;

public sealed class HostedBudgetTests : IAsyncLifetime
{
    private readonly string _file = Path.Combine(Path.GetTempPath(), $"throttled-{Guid.NewGuid():N}.db");

    private string Connection => $"Data Source={_file};Pooling=False";

    public async Task InitializeAsync()
    {
        await using var appender = SqliteJournal.OpenAppender(Connection);
        await appender.CreateAsync();
        await appender.AppendAsync([new JournalEvent { PersistenceId = "a", SequenceNumber = 1, SerializerId = 4, Payload = new byte[] { 1 } }]);
    }

    public Task DisposeAsync()
    {
        foreach (var suffix in (string[])["", "-wal", "-shm", "-journal"])
            File.Delete(_file + suffix);
        return Task.CompletedTask;
    }

    [Fact]
    public async Task A_query_waits_until_the_node_knows_its_share()
    {
        using var host = await StartAsync(journal => journal.WithClusterBudget(maxConcurrentQueries: 1, maxQueriesPerSecond: 100, role: "reader"));
        var system = host.Services.GetRequiredService<ActorSystem>();
        var journal = system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier);
        var health = await journal.Engine.CheckHealthAsync(CancellationToken.None);
        Assert.Equal(0, health.Permits);
        var first = journal.CurrentEventsByPersistenceId("a", 0, long.MaxValue).RunWith(Sink.Seq<EventEnvelope>(), system.Materializer());
        await journal.Engine.CheckHealthAsync(CancellationToken.None);
        Assert.False(first.IsCompleted);
        var cluster = global::Akka.Cluster.Cluster.Get(system);
        await cluster.JoinAsync(cluster.SelfAddress).WithinAsync("the node is Up");
        Assert.Single(await first.WithinAsync("the query ends"));
        Assert.Equal(1, (await journal.Engine.CheckHealthAsync(CancellationToken.None)).Permits);
        await host.StopAsync();
    }

    [Fact]
    public async Task A_node_without_the_role_is_refused()
    {
        var error = await Assert.ThrowsAnyAsync<Exception>(() => StartAsync(journal => journal.WithClusterBudget(60, role: "writer")));
        Assert.Contains("'akka.persistence.query.journal.throttled.cluster.role' is \"writer\", but this node has the roles reader.", Messages(error), StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_actor_system_without_a_cluster_is_refused()
    {
        var system = ActorSystem.Create("alone", $$"""
            {{ThrottledReadJournal.Identifier}} { connection-string = "{{Connection}}", provider-name = SQLite, cluster.max-concurrent-queries = 60 }
            """);
        var error = Assert.Throws<ConfigurationException>(() => system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier));
        Assert.Equal(
            "'akka.persistence.query.journal.throttled.cluster.max-concurrent-queries' is 60, but this actor system is in no cluster. "
            + "Set 'akka.actor.provider' to cluster, or set the budget to 0.",
            error.Message);
        await system.Terminate();
    }

    [Theory]
    [InlineData(-1, 0, "maxConcurrentQueries is -1; it must be from 0 to 1000000. Use 0 for no limit.")]
    [InlineData(60, 1_000_001, "maxQueriesPerSecond is 1000001; it must be from 0 to 1000000. Use 0 for no limit.")]
    public async Task A_limit_out_of_its_range_is_refused(int permits, int perSecond, string message)
    {
        var error = await Assert.ThrowsAnyAsync<Exception>(() => StartAsync(journal => journal.WithClusterBudget(permits, perSecond)));
        Assert.Contains(message, Messages(error), StringComparison.Ordinal);
    }

    private static string Messages(Exception? error) => error is null ? "" : $"{error.Message} {Messages(error.InnerException)}";

    private async Task<IHost> StartAsync(Action<ThrottledReadJournalBuilder> budget)
    {
        var builder = Host.CreateApplicationBuilder();
        builder.Services.AddAkka("budget", akka => akka
            .AddHocon("akka { loglevel = ERROR, stdout-loglevel = OFF, cluster { gossip-interval = 100ms, leader-actions-interval = 100ms } }", HoconAddMode.Prepend)
            .WithRemoting("127.0.0.1", 0)
            .WithClustering(new ClusterOptions { Roles = ["reader"] })
            .WithThrottledReadJournal(Connection, "SQLite", journalBuilder: budget));
        var host = builder.Build();
        try
        {
            await host.StartAsync();
            return host;
        }
        catch
        {
            host.Dispose();
            throw;
        }
    }
}
