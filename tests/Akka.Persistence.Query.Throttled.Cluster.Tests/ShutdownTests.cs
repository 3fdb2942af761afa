using Akka.Actor;
using Akka.Cluster.Hosting;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Remote.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Projections;
using Throttled.Testing.Scripted;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests;

/// <summary>A node with a budget, a feed and daemons, whose databases are gone when it leaves.</summary>
public sealed class ShutdownTests
{
    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task A_node_that_stops_after_its_databases_waits_for_its_drain_only()
    {
        using var server = PostgreSqlServer.Start();
        var connection = server.CreateDatabase();
        await using (var appender = PostgreSqlJournal.OpenAppender(connection))
        {
            await appender.CreateAsync();
            await appender.AppendAsync([new JournalEvent { PersistenceId = "a", SequenceNumber = 1, SerializerId = 4, Payload = new byte[] { 1 } }]);
        }
        var (handler, log) = (new Signal(), new RecordedLog());
        using var host = Build(connection, handler, log);
        await host.StartAsync();
        var cluster = global::Akka.Cluster.Cluster.Get(host.Services.GetRequiredService<ActorSystem>());
        await cluster.JoinAsync(cluster.SelfAddress).WithinAsync("the node is Up");
        await handler.Handled.Task.WithinAsync("the event is handled");
        server.Kill();
        // Each daemon logs that its lanes were not released in time.
        await host.StopAsync().WithinAsync("the node ends");
        Assert.Equal(4, log.TextsOf(204).Count(text => text.StartsWith("Projection handled: daemon", StringComparison.Ordinal)));
    }

    private static IHost Build(string connection, Signal handler, RecordedLog log)
    {
        var builder = new HostApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Services.AddSingleton<ILoggerFactory>(log);
        builder.Services.AddSingleton(_ => ReadModelDatabase.PostgreSql(NpgsqlDataSource.Create(connection)));
        builder.Services.AddAkka("shutdown", akka => akka
            .AddHocon("akka { loglevel = OFF, stdout-loglevel = OFF, cluster { gossip-interval = 100ms, leader-actions-interval = 100ms } }", HoconAddMode.Prepend)
            .WithRemoting("127.0.0.1", 0)
            .WithClustering()
            .WithThrottledReadJournal(connection, "PostgreSQL", journalBuilder: journal => journal.WithClusterBudget(20))
            .WithThrottledFeed("events")
            .WithThrottledProjection(
                "handled",
                handler,
                projection => projection.WithOptions(options => options with { Lanes = 4, Decoder = stored => stored }),
                new() { DrainTimeout = TimeSpan.FromMilliseconds(500) }));
        return builder.Build();
    }

    private sealed class Signal : BatchHandler
    {
        internal TaskCompletionSource Handled { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            _ = batch.Transaction;
            Handled.TrySetResult();
            return Task.CompletedTask;
        }
    }
}
