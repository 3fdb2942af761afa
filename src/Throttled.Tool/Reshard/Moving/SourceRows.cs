using Throttled.Journal.Relational;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Reshard;

/// <summary>The rows of one old shard, which are read once.</summary>
internal sealed class SourceRows(MovedTables tables, ShardIdentity old, IShardSnapshot source, MoveProgress progress)
{
    /// <summary>The tables with the number of their rows, after <see cref="PrepareAsync"/>.</summary>
    internal IReadOnlyList<(TableShape Shape, long Rows)> Tables { get; private set; } = [];

    internal string Whose => old.IsOneOfSeveral ? FormattableString.Invariant($"the old shard {old.Shard}") : "the journal";

    /// <summary>Finds the tables, and counts their rows.</summary>
    /// <param name="passes">How many times each row is read, from here or from a new database. For the progress.</param>
    /// <param name="cancellation">Ends the search.</param>
    /// <exception cref="ReshardException">A table is missing, or has other columns.</exception>
    internal async Task PrepareAsync(int passes, CancellationToken cancellation)
    {
        List<(TableShape, long)> found = [];
        foreach (var shape in await ShapesAsync(cancellation))
        {
            var rows = await source.CountAsync(shape.Table, cancellation);
            progress.Say(FormattableString.Invariant($"{Whose}: {shape.Table.Name} has {rows:N0} rows"));
            progress.Expect(passes * rows);
            found.Add((shape, rows));
        }
        Tables = found;
    }

    /// <summary>Passes the rows of a table to the new shards that have their slices.</summary>
    /// <param name="table">The table.</param>
    /// <param name="to">The new shards.</param>
    /// <param name="writers">The shards that are parts of this one. Each has a writer, or null if its rows are only summed up.</param>
    /// <param name="cancellation">Ends the read.</param>
    /// <returns>The sum of each shard.</returns>
    internal async Task<IReadOnlyDictionary<int, RowSum>> StreamAsync(
        (TableShape Shape, long Rows) table, ShardMap to, IReadOnlyDictionary<int, IRowWriter?> writers, CancellationToken cancellation)
    {
        var counted = progress.Of($"{Whose}: {table.Shape.Table.Name}", table.Rows);
        var digests = writers.ToDictionary(each => each.Key, each => new RowDigest(each.Value));
        Dictionary<int, RowSum> sums = [];
        try
        {
            await source.ScanAsync(table.Shape, new RowRouter(table.Shape.Table, old.Slices, to, digests, counted), cancellation);
            counted.Complete();
            foreach (var (shard, digest) in digests)
                sums[shard] = await digest.CompleteAsync(cancellation);
        }
        finally
        {
            foreach (var digest in digests.Values)
                digest.Dispose();
        }
        var given = sums.Values.Sum(sum => sum.Rows);
        return given == table.Rows ? sums : throw new ReshardException(FormattableString.Invariant(
            $"The table {table.Shape.Table.Name} of {Whose} has {table.Rows} rows, but {given} were read in the order of its keys. Have the database check its indexes."));
    }

    private async Task<List<TableShape>> ShapesAsync(CancellationToken cancellation)
    {
        List<TableShape> shapes = [];
        foreach (var table in tables.All)
        {
            var shape = await source.ShapeAsync(table, cancellation);
            var missing = shape is null ? "is not there" : table.KeyColumns.FirstOrDefault(column => !shape.Has(column)) is { } column
                ? $"has no column {column}" : null;
            if (missing is null)
                shapes.Add(shape!);
            else if (table.Remedy is { } remedy)
                throw new ReshardException($"The table {table.Name} {missing} in {Whose}. {remedy}.{(shape is null && table == tables.Journal ? await HintAsync(cancellation) : "")}");
        }
        return shapes;
    }

    private async Task<string> HintAsync(CancellationToken cancellation)
    {
        List<string> there = [];
        foreach (var name in KnownTables.Names)
        {
            if (await source.ShapeAsync(tables.Journal with { Name = name }, cancellation) is not null)
                there.Add(name);
        }
        return $" {KnownTables.Remedy(there)}";
    }
}
