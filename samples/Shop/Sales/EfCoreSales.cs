using System.Data.Common;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Throttled.Projections;
using Throttled.Projections.EntityFrameworkCore;

/// <summary>
/// The read model, written with EF Core. It reads the row of a customer, adds in memory and writes it back, so the projection has one lane: with
/// several, two orders of one customer could be counted as one.
/// </summary>
internal sealed class EfCoreSales : TransactionalHandler
{
    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => SalesTables.CreateAsync(scope, cancellationToken);

    public override async Task HandleAsync(ProjectionEvent @event, ReadModelTransaction transaction, CancellationToken cancellationToken)
    {
        var sales = transaction.GetDbContext(connection => new SalesContext(connection, transaction.Version));
        switch (@event.Payload)
        {
            case Placed placed:
                sales.Add(new OrderRow { Id = @event.PersistenceId, Customer = placed.Customer, Product = placed.Product, Count = placed.Count });
                var customer = await sales.FindAsync<CustomerRow>([placed.Customer], cancellationToken)
                    ?? sales.Add(new CustomerRow { Customer = placed.Customer }).Entity;
                (customer.Orders, customer.Pieces) = (customer.Orders + 1, customer.Pieces + placed.Count);
                break;
            case Shipped:
                (await sales.FindAsync<OrderRow>([@event.PersistenceId], cancellationToken))!.Shipped = true;
                break;
        }
    }
}

/// <summary>The tables of one version of the read model. EF Core keeps a model for each version.</summary>
internal sealed class SalesContext(DbConnection connection, string version) : DbContext
{
    protected override void OnConfiguring(DbContextOptionsBuilder optionsBuilder) =>
        (connection is SqliteConnection ? optionsBuilder.UseSqlite(connection) : optionsBuilder.UseNpgsql(connection)).ReplaceService<IModelCacheKeyFactory, ByVersion>();

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.Entity<OrderRow>().ToTable(SalesTables.Name(version, "orders"));
        modelBuilder.Entity<CustomerRow>().ToTable(SalesTables.Name(version, "customers")).HasKey(row => row.Customer);
        foreach (var property in modelBuilder.Model.GetEntityTypes().SelectMany(type => type.GetProperties()))
            property.SetColumnName(property.Name.ToLowerInvariant());
    }

    private sealed class ByVersion : IModelCacheKeyFactory
    {
        public object Create(DbContext context, bool designTime) => (((SalesContext)context).Version, designTime);
    }

    private string Version => version;
}
