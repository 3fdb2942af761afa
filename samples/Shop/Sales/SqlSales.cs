using Throttled.Projections;

/// <summary>The read model, written with plain SQL.</summary>
internal sealed class SqlSales : TransactionalHandler
{
    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => SalesTables.CreateAsync(scope, cancellationToken);

    public override Task HandleAsync(ProjectionEvent @event, ReadModelTransaction transaction, CancellationToken cancellationToken)
    {
        var (orders, customers) = (SalesTables.Quoted(transaction.Version, "orders"), SalesTables.Quoted(transaction.Version, "customers"));
        return @event.Payload switch
        {
            Placed placed => transaction.ExecuteAsync(
                $"""
                INSERT INTO {orders} VALUES (@id, @customer, @product, @count, FALSE);
                INSERT INTO {customers} AS old VALUES (@customer, 1, @count)
                ON CONFLICT (customer) DO UPDATE SET orders = old.orders + 1, pieces = old.pieces + excluded.pieces
                """,
                cancellationToken, ("id", @event.PersistenceId), ("customer", placed.Customer), ("product", placed.Product), ("count", placed.Count)),
            Shipped => transaction.ExecuteAsync($"UPDATE {orders} SET shipped = TRUE WHERE id = @id", cancellationToken, ("id", @event.PersistenceId)),
            _ => Task.CompletedTask,
        };
    }
}
