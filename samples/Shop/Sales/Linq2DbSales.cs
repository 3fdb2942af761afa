using LinqToDB;
using Throttled.Projections;
using Throttled.Projections.Linq2Db;

/// <summary>The read model, written with linq2db. Its upsert adds in the database, so several lanes may change the row of a customer.</summary>
internal sealed class Linq2DbSales : TransactionalHandler
{
    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => SalesTables.CreateAsync(scope, cancellationToken);

    public override async Task HandleAsync(ProjectionEvent @event, ReadModelTransaction transaction, CancellationToken cancellationToken)
    {
        var orders = transaction.GetDataConnection().GetTable<OrderRow>().TableName(SalesTables.Name(transaction.Version, "orders"));
        var customers = transaction.GetDataConnection().GetTable<CustomerRow>().TableName(SalesTables.Name(transaction.Version, "customers"));
        var id = @event.PersistenceId;
        switch (@event.Payload)
        {
            case Placed placed:
                await orders.InsertAsync(
                    () => new() { Id = id, Customer = placed.Customer, Product = placed.Product, Count = placed.Count, Shipped = false }, cancellationToken);
                await customers.InsertOrUpdateAsync(
                    () => new() { Customer = placed.Customer, Orders = 1, Pieces = placed.Count },
                    old => new() { Orders = old.Orders + 1, Pieces = old.Pieces + placed.Count }, cancellationToken);
                break;
            case Shipped:
                await orders.Where(order => order.Id == id).Set(order => order.Shipped, true).UpdateAsync(cancellationToken);
                break;
        }
    }
}
