using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.Hosting;
using Throttled.Journal.PostgreSql;

namespace Throttled.Projections.Tests.Documents;

/// <summary>Code of the documentation that is in no sample. It is compiled, and a convention test compares it with the pages.</summary>
internal static class Snippets
{
    // docs/projections.md
    internal static async Task EntityFramework(IDbContextFactory<DbContext> factory, ProjectionBatch batch, CancellationToken cancellationToken)
    {
        await using var context = await factory.CreateDbContextAsync(cancellationToken);
        context.Database.SetDbConnection(batch.Connection);
        await context.Database.UseTransactionAsync(batch.Transaction, cancellationToken);
        // ... context.Add, ExecuteUpdate ...
        await context.SaveChangesAsync(cancellationToken);
    }

    // docs/projections.md
    internal static void Functions(HostApplicationBuilder builder)
    {
        builder.Services.AddProjection("orders", on => on
            .Prepare((scope, cancellation) => scope.ExecuteAsync("CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, product TEXT, shipped BOOLEAN); DELETE FROM orders", cancellation))
            .Event<Placed>((placed, transaction, cancellation) => transaction.ExecuteAsync(
                "INSERT INTO orders VALUES (@id, @product, FALSE)", cancellation, ("id", placed.PersistenceId), ("product", placed.Payload.Product)))
            .Event<Shipped>((shipped, transaction, cancellation) => transaction.ExecuteAsync(
                "UPDATE orders SET shipped = TRUE WHERE id = @id", cancellation, ("id", shipped.PersistenceId))),
            projection => projection.WithOptions(options => options with { Decoder = new JsonEvents().Add<Placed>().Add<Shipped>().Decode }));
    }

    // docs/projections.md
    internal static async Task Waits(JournalReader journal, ReadModelDatabase readModelDatabase, string persistenceId, long sequenceNumber)
    {
        var waits = new ProjectionWaits(journal, readModelDatabase);
        await waits.WaitForAsync("orders", persistenceId, sequenceNumber, TimeSpan.FromSeconds(5));
    }

    // docs/projections.md
    internal static async Task Sharded(string[] connectionStrings, ReadModelDatabase readModelDatabase, ProjectionHandler handler, ProjectionOptions options)
    {
        await using var journal = ShardedJournal.OpenReader(connectionStrings, PostgreSqlJournal.OpenReader);
        await using var projection = new Projection(journal, readModelDatabase, handler, options);
    }

    // docs/projections/sources.md
    internal static ProjectionOptions Sources()
    {
        ProjectionOptions options = new()
        {
            Name = "labels",
            Source = ProjectionSource.ByTag("placed").OfTypes("OrderPlaced").WithIdPrefix("order-"),
            StartAt = ProjectionStart.Now,
        };
        return options;
    }

    private sealed record Placed(string Product);

    private sealed record Shipped;
}
