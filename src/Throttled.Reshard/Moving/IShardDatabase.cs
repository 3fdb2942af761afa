using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using Throttled.Journal;

namespace Throttled.Reshard;

/// <summary>A database that has a shard of a journal, or is to have one.</summary>
internal interface IShardDatabase : IAsyncDisposable
{
    /// <summary>What it is called in messages; without its password.</summary>
    string Name { get; }

    /// <summary>The database, its schema and journal table: the same for the same, however it was named. Nothing is locked or made for it.</summary>
    Task<string> IdentityAsync(CancellationToken cancellation);

    /// <summary>Looks at what it has at one moment.</summary>
    Task<IShardSnapshot> SnapshotAsync(CancellationToken cancellation);

    /// <summary>Begins the one transaction that makes it a shard.</summary>
    Task<IShardTarget> BeginAsync(CancellationToken cancellation);
}

/// <summary>The rows of tables, as one connection sees them.</summary>
internal interface IShardRows : IAsyncDisposable
{
    /// <summary>The mark beside the journal; null for none.</summary>
    Task<ShardMark?> ReadMarkAsync(CancellationToken cancellation);

    /// <summary>How many rows a table has; none where it is not there.</summary>
    Task<long> CountAsync(MovedTable table, CancellationToken cancellation);

    /// <summary>The highest ordering that the journal ever issued; 0 for none.</summary>
    Task<long> LastIssuedAsync(CancellationToken cancellation);

    /// <summary>Gives all rows of a table to a sink, in the order of its keys.</summary>
    /// <exception cref="ReshardException">A row has no persistence id.</exception>
    Task ScanAsync(TableShape shape, IRowSink rows, CancellationToken cancellation);
}

/// <summary>A database at one moment. It is only read.</summary>
internal interface IShardSnapshot : IShardRows
{
    /// <summary>What a table is like; null where it is not there.</summary>
    /// <exception cref="ReshardException">It is no table.</exception>
    Task<TableShape?> ShapeAsync(MovedTable table, CancellationToken cancellation);

    /// <summary>Who else is connected to the database, where it can say so.</summary>
    Task<IReadOnlyList<OtherConnections>> ConnectedAsync(CancellationToken cancellation);

    /// <summary>Ends the moment, and checks whether anybody has written to the journal since.</summary>
    /// <returns>What was seen of it; null for nothing.</returns>
    Task<string?> ChangeAsync(CancellationToken cancellation);
}

/// <summary>A database within the transaction that makes it a shard; rolled back where it is not committed.</summary>
internal interface IShardTarget : IShardRows
{
    /// <summary>Creates a table, or makes sure that the one that is there can take the rows.</summary>
    /// <exception cref="ReshardException">It cannot.</exception>
    Task CreateAsync(TableShape shape, CancellationToken cancellation);

    /// <summary>Writes the mark.</summary>
    /// <exception cref="ShardMarkException">There is another.</exception>
    Task MarkAsync(ShardIdentity identity, CancellationToken cancellation);

    /// <summary>Begins to write to a table. One at a time.</summary>
    Task<IRowWriter> WriteAsync(TableShape shape, CancellationToken cancellation);

    /// <summary>Makes constraints and indexes, and the next ordering one above another journal's last.</summary>
    Task CompleteAsync(IReadOnlyList<TableShape> shapes, long lastIssued, CancellationToken cancellation);

    Task CommitAsync(CancellationToken cancellation);
}

/// <summary>Connections to an old database that are not the tool's. They may only read, so that they are warned of and not refused.</summary>
/// <param name="Application">What they call themselves.</param>
/// <param name="Count">How many they are.</param>
internal sealed record OtherConnections(string Application, long Count)
{
    /// <summary>A line for each database that has any.</summary>
    internal static async Task<IReadOnlyList<string>> WarningsAsync(
        IReadOnlyList<IShardDatabase> from, IReadOnlyList<IShardSnapshot> sources, CancellationToken cancellation)
    {
        List<string> lines = [];
        for (var i = 0; i < sources.Count; i++)
        {
            var others = await sources[i].ConnectedAsync(cancellation).ConfigureAwait(false);
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
