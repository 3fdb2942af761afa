using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Tool.Reshard;

/// <summary>A database that has a shard of a journal, or that will get one.</summary>
internal interface IShardDatabase : IAsyncDisposable
{
    /// <summary>The name for messages, without the password.</summary>
    string Name { get; }

    /// <summary>Whether the database exists; otherwise a copy creates it.</summary>
    bool IsThere => true;

    /// <summary>The database, its schema and journal table. Equal for the same database, whatever its connection string. Locks and creates nothing.</summary>
    Task<string> IdentityAsync(CancellationToken cancellation);

    /// <summary>Opens a snapshot of the database.</summary>
    Task<IShardSnapshot> SnapshotAsync(CancellationToken cancellation);

    /// <summary>Begins the one transaction that makes the database a shard.</summary>
    Task<IShardTarget> BeginAsync(CancellationToken cancellation);
}

/// <summary>The rows of tables, as one connection sees them.</summary>
internal interface IShardRows : IAsyncDisposable
{
    /// <summary>The mark beside the journal; null for none.</summary>
    Task<ShardMark?> ReadMarkAsync(CancellationToken cancellation);

    /// <summary>The number of rows of a table; 0 if the table does not exist.</summary>
    Task<long> CountAsync(MovedTable table, CancellationToken cancellation);

    /// <summary>The highest ordering that the journal ever issued; 0 for none.</summary>
    Task<long> LastIssuedAsync(CancellationToken cancellation);

    /// <summary>Passes all rows of a table to a sink, in the order of its keys.</summary>
    /// <exception cref="ReshardException">A row has no persistence id.</exception>
    Task ScanAsync(TableShape shape, IRowSink rows, CancellationToken cancellation);
}

/// <summary>A database at one moment, read-only.</summary>
internal interface IShardSnapshot : IShardRows
{
    /// <summary>The columns and definition of a table; null if it does not exist.</summary>
    /// <exception cref="ReshardException">It is not a table.</exception>
    Task<TableShape?> ShapeAsync(MovedTable table, CancellationToken cancellation);

    /// <summary>The other connections to the database, if the database shows them.</summary>
    Task<IReadOnlyList<OtherConnections>> ConnectedAsync(CancellationToken cancellation);

    /// <summary>Ends the snapshot, and checks whether the journal has changed since.</summary>
    /// <returns>A description of the change; null for none.</returns>
    Task<string?> ChangeAsync(CancellationToken cancellation);
}

/// <summary>A database in the transaction that makes it a shard. Rolled back unless committed.</summary>
internal interface IShardTarget : IShardRows
{
    /// <summary>Creates a table, or checks that the existing one can take the rows.</summary>
    /// <exception cref="ReshardException">The table cannot be created, or cannot take the rows.</exception>
    Task CreateAsync(TableShape shape, CancellationToken cancellation);

    /// <exception cref="ShardMarkException">There is another mark.</exception>
    Task MarkAsync(ShardIdentity identity, CancellationToken cancellation);

    /// <summary>Begins to write to a table. Only one table can be written at a time.</summary>
    Task<IRowWriter> WriteAsync(TableShape shape, CancellationToken cancellation);

    /// <summary>Creates constraints and indexes, and sets the next ordering above the old journal's last one.</summary>
    Task CompleteAsync(IReadOnlyList<TableShape> shapes, long lastIssued, CancellationToken cancellation);

    Task CommitAsync(CancellationToken cancellation);
}

/// <summary>Connections of other programs to an old database. They may only read, so they cause a warning, not an error.</summary>
internal sealed record OtherConnections(string Application, long Count)
{
    /// <summary>One line for each database that has other connections.</summary>
    internal static async Task<IReadOnlyList<string>> WarningsAsync(
        IReadOnlyList<IShardDatabase> from, IReadOnlyList<IShardSnapshot> sources, CancellationToken cancellation)
    {
        List<string> lines = [];
        for (var i = 0; i < sources.Count; i++)
        {
            var others = await sources[i].ConnectedAsync(cancellation);
            if (others.Count > 0)
                lines.Add(Warning(i, from[i].Name, others));
        }
        return lines;
    }

    private static string Warning(int shard, string name, IReadOnlyList<OtherConnections> others)
    {
        var applications = string.Join(", ", others.Select(each => FormattableString.Invariant($"{each.Application} ({each.Count})")));
        var count = others.Sum(each => each.Count);
        return FormattableString.Invariant($"warning: --from number {shard} ({name}) has {count} other connection{(count == 1 ? "" : "s")}: {applications}. ")
            + "Stop whatever writes to the journal: what it writes after the copy is in the old database alone.";
    }
}
