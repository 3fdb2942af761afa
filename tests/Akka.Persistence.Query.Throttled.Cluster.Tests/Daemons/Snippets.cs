using Akka.Cluster.Hosting;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Remote.Hosting;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Daemons;

/// <summary>Code of the documentation that is in no sample. It is compiled, and a convention test compares it with the pages.</summary>
internal static class Snippets
{
    // docs/cluster-daemons.md
    internal static void Add(IServiceCollection services, string connectionString)
    {
        services.AddSingleton(_ => ReadModelDatabase.Sqlite(SqliteFactory.Instance.CreateDataSource(connectionString)));
        services.AddAkka("shop", akka => akka
            .WithRemoting("127.0.0.1", 4053)
            .WithClustering(new ClusterOptions { SeedNodes = ["akka.tcp://shop@127.0.0.1:4053"], Roles = ["projections"] })
            .WithThrottledReadJournal(connectionString, "SQLite")
            .WithThrottledProjection<OrderHandler>(
                "orders",
                projection => projection.WithOptions(options => options with { Lanes = 16 }),
                new() { Role = "projections" }));
    }

    // docs/cluster-daemons.md
    internal static async Task AssignAsync(ProjectionOptions options)
    {
        var lanes = new AssignedLanes(parts: 16);
        options = options with { LaneOwnership = lanes };
        lanes.Add(3);
        await lanes.RemoveAsync(3);
    }

    private sealed class OrderHandler : BatchHandler
    {
        public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
