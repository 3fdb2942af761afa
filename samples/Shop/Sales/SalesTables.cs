using LinqToDB.Mapping;
using Throttled.Projections;

/// <summary>The read model: the orders, and what each customer has ordered. Each version has its own tables, so one can be built beside another.</summary>
internal static class SalesTables
{
    /// <summary>The ways to write it. All give the same read model.</summary>
    internal static readonly string[] Writers = ["sql", "linq2db", "efcore"];

    internal static string Name(string version, string table) => $"{version}_{table}";

    internal static string Quoted(string version, string table) => ReadModelDatabase.Quote(Name(version, table));

    /// <summary>Creates the empty tables: when the projection is new, and when it is reset.</summary>
    internal static Task CreateAsync(ReadModelScope scope, CancellationToken cancellationToken)
    {
        var (orders, customers) = (Quoted(scope.Version, "orders"), Quoted(scope.Version, "customers"));
        return scope.ExecuteAsync(
            $"""
            CREATE TABLE IF NOT EXISTS {orders} (id VARCHAR(200) PRIMARY KEY, customer VARCHAR(100), product VARCHAR(100), count BIGINT, shipped BOOLEAN);
            CREATE TABLE IF NOT EXISTS {customers} (customer VARCHAR(100) PRIMARY KEY, orders BIGINT, pieces BIGINT);
            DELETE FROM {orders};
            DELETE FROM {customers}
            """,
            cancellationToken);
    }
}

internal sealed class OrderRow
{
    [Column("id"), PrimaryKey]
    public string Id { get; init; } = "";

    [Column("customer")]
    public string Customer { get; init; } = "";

    [Column("product")]
    public string Product { get; init; } = "";

    [Column("count")]
    public long Count { get; init; }

    [Column("shipped")]
    public bool Shipped { get; set; }
}

internal sealed class CustomerRow
{
    [Column("customer"), PrimaryKey]
    public string Customer { get; init; } = "";

    [Column("orders")]
    public long Orders { get; set; }

    [Column("pieces")]
    public long Pieces { get; set; }
}
