using Dapper;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.Hosting;
using Throttled.Journal.PostgreSql;
using Throttled.Projections.Testing;

namespace Throttled.Projections.Tests.Documents;

/// <summary>Code of the documentation that is in no sample. It is compiled, and a convention test compares it with the pages.</summary>
internal static class Snippets
{
    // docs/projections.md
    internal static async Task Dapper(ProjectionEvent<int> each, ReadModelTransaction transaction) =>
        await transaction.Connection.ExecuteAsync("INSERT INTO seen VALUES (@Payload)", new { each.Payload }, transaction.Transaction);

    // docs/projections/testing.md
    internal static async Task Transactional()
    {
        await using var source = SqliteFactory.Instance.CreateDataSource("Data Source=balances;Mode=Memory;Cache=Shared");
        await using var test = await HandlerTest.StartAsync(new Balances(), ReadModelDatabase.Sqlite(source), "balances");

        await test.HandleAsync(new("account-1", new Deposited(5)), new("account-2", new Deposited(7)));   // one batch, one transaction
        await test.HandleAsync(new TestEvent("account-1", new Deposited(1)));

        await using var command = source.CreateCommand("SELECT cents FROM balances WHERE account = 'account-1'");
        Assert.Equal(6L, await command.ExecuteScalarAsync());
    }

    // docs/projections/testing.md
    internal static async Task Repeated(HandlerTest test, Func<Task<string>> readAsync)
    {
        await test.RepeatAsync(new("account-1", new Deposited(5)), new("account-1", new Deposited(6)));
        var once = await readAsync();
        await test.ReplayAsync(batchSize: 1);
        Assert.Equal(once, await readAsync());
    }

    // docs/projections/testing.md
    internal static async Task AtLeastOnce()
    {
        var sent = new HashSet<string>();
        var mails = new HandlerBuilder().AtLeastOnce<Deposited>((deposited, _, _) =>
        {
            sent.Add($"{deposited.IdempotencyKey}");   // the mail server drops a mail whose key it has
            return Task.CompletedTask;
        }).Build();
        await using var test = await HandlerTest.StartAsync(mails);
        await test.RepeatAsync(new TestEvent("account-1", new Deposited(5)));
        Assert.Single(sent);
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
    internal static void LookUps(HostApplicationBuilder builder)
    {
        builder.Services.AddProjection("order_lines", on => on
            .LookUp((batch, cancellation) => ProductNames.OfAsync(batch, cancellation))
            .Event<Placed>((placed, names, transaction, cancellation) => transaction.ExecuteAsync(
                "INSERT INTO order_lines VALUES (@id, @name)", cancellation, ("id", placed.PersistenceId), ("name", names[placed.Payload.Product]))));
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

    // docs/projections/entities.md
    internal static void Entities(HostApplicationBuilder builder)
    {
        builder.Services.AddProjection("orders", on => on.Entity<Order>((order, each) => each.Payload is Placed placed ? new(placed.Product, IsShipped: false) : order));
    }

    // docs/projections/entities.md
    internal sealed record Order(string Product, bool IsShipped);

    internal sealed class Orders : EntityStateHandler<Order>
    {
        public override Order? Apply(Order? state, ProjectionEvent @event) => @event.Payload switch
        {
            Placed placed => new(placed.Product, IsShipped: false),
            Shipped when state is not null => state with { IsShipped = true },
            Cancelled => null,
            _ => state,
        };
    }

    internal sealed class SearchableOrders() : EntityStateHandler<Order>(Table)
    {
        private static readonly EntityTable<Order> Table = new EntityTable<Order>()
            .Column("product", order => order.Product)
            .Column("is_shipped", order => order.IsShipped);

        public override async Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken)
        {
            await base.PrepareAsync(scope, cancellationToken);
            var (table, index) = (ReadModelDatabase.Quote(scope.Version), ReadModelDatabase.Quote($"{scope.Version}_product"));
            await scope.ExecuteAsync($"CREATE INDEX IF NOT EXISTS {index} ON {table} (product)", cancellationToken);
        }

        public override Order? Apply(Order? state, ProjectionEvent @event) => @event.Payload is Placed placed ? new(placed.Product, IsShipped: false) : state;
    }

    internal sealed class OrderColumns() : EntityStateHandler<Order>(Table)
    {
        private static readonly EntityTable<Order> Table = new EntityTable<Order>(() => new("", IsShipped: false))
            .Column("product", order => order.Product, (order, product) => order with { Product = product })
            .Column("is_shipped", order => order.IsShipped, (order, isShipped) => order with { IsShipped = isShipped });

        public override Order? Apply(Order? state, ProjectionEvent @event) => @event.Payload is Placed placed ? new(placed.Product, IsShipped: false) : state;
    }

    // docs/projections.md
    internal sealed class OrderLines : TransactionalHandler<IReadOnlyDictionary<string, string>>
    {
        public override async Task<IReadOnlyDictionary<string, string>> EnrichAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            string[] ids = [.. batch.Select(each => each.Payload).OfType<Placed>().Select(placed => placed.Product).Distinct()];
            var names = await batch.QueryAsync(
                "SELECT id, name FROM products WHERE id = ANY(@ids)", row => (row.GetString(0), row.GetString(1)), cancellationToken, ("ids", ids));
            return names.ToDictionary();
        }

        public override Task HandleAsync(
            ProjectionEvent @event, IReadOnlyDictionary<string, string> lookups, ReadModelTransaction transaction, CancellationToken cancellationToken) =>
            @event.Payload is Placed placed
                ? transaction.ExecuteAsync(
                    "INSERT INTO order_lines VALUES (@id, @name)", cancellationToken, ("id", @event.PersistenceId), ("name", lookups[placed.Product]))
                : Task.CompletedTask;
    }

    private static class ProductNames
    {
        internal static Task<IReadOnlyDictionary<string, string>> OfAsync(ProjectionBatch batch, CancellationToken cancellation) => new OrderLines().EnrichAsync(batch, cancellation);
    }

    private sealed class Balances : BatchHandler
    {
        public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken) => Task.CompletedTask;
    }

    private sealed record Deposited(long Cents);

    internal sealed record Placed(string Product);

    private sealed record Shipped;

    private sealed record Cancelled;
}
