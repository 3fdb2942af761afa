using Throttled.Projections;

/// <summary>The read model: how many pieces of each product were sold.</summary>
internal sealed class Sales : BatchHandler
{
    private static readonly MergeTable<Sold> Table = new MergeTable<Sold>()
        .Key("product", sold => sold.Product)
        .Add("count", sold => sold.Count);

    /// <summary>Creates the empty table: when the projection is new, and when it is reset.</summary>
    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken)
    {
        var table = ReadModelDatabase.Quote(scope.Version);
        return scope.ExecuteAsync(
            $"CREATE TABLE IF NOT EXISTS {table} (product VARCHAR(100) PRIMARY KEY, count BIGINT NOT NULL); DELETE FROM {table}",
            cancellationToken);
    }

    /// <summary>All events of a batch become one row per product. The transaction that writes the rows also stores the offset.</summary>
    public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
    {
        var sold = batch.Fold<string, Sold>(
            product => new(product), (all, each) => all[((Placed)each.Payload).Product].Count += ((Placed)each.Payload).Count);
        return Table.WriteAsync(batch, batch.Version, sold, cancellationToken);
    }

    private sealed class Sold(string product)
    {
        public string Product { get; } = product;

        public long Count { get; set; }
    }
}
