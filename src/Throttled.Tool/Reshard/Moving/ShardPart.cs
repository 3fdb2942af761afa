using System.Collections;
using Throttled.Journal.Relational;

namespace Throttled.Tool.Reshard;

/// <summary>A new shard that this run writes, or only verifies because an earlier run wrote it.</summary>
internal sealed class ShardPart : IAsyncDisposable
{
    private ShardPart(ShardIdentity identity, IShardRows rows, string name) => (Identity, Rows, Name) = (identity, rows, name);

    internal ShardIdentity Identity { get; }

    /// <summary>The option that names the shard, and its database.</summary>
    internal string Name { get; }

    internal IShardRows Rows { get; }

    /// <summary>The transaction that writes the shard; null if the shard is only verified.</summary>
    internal IShardTarget? Target => Rows as IShardTarget;

    /// <summary>Opens a shard: to write it, if <paramref name="isCopy"/> is true and it is empty, otherwise to verify it.</summary>
    /// <exception cref="ReshardException">The database has rows and no mark of a shard.</exception>
    internal static async Task<ShardPart> OpenAsync(
        ShardIdentity identity, IShardDatabase database, MovedTables tables, bool isCopy, CancellationToken cancellation)
    {
        var name = NameOf(identity, database);
        if (isCopy && await BeginAsync(identity, database, name, tables, cancellation) is { } target)
            return new(identity, target, name);
        return new(identity, await database.SnapshotAsync(cancellation), name);
    }

    /// <summary>Whether a copy would write the database, instead of comparing the rows that it has. Writes nothing.</summary>
    /// <exception cref="ReshardException">The database has rows and no mark of a shard, or the mark of another shard.</exception>
    internal static async Task<bool> IsWrittenAsync(ShardIdentity identity, IShardDatabase database, MovedTables tables, CancellationToken cancellation)
    {
        if (!database.IsThere)
            return true;
        await using var snapshot = await database.SnapshotAsync(cancellation);
        return await IsEmptyAsync(identity, snapshot, NameOf(identity, database), tables, cancellation);
    }

    internal static string Marked(ShardMark mark) => FormattableString.Invariant($"is marked as shard {mark.Shard} of \"{mark.Map}\"");

    public ValueTask DisposeAsync() => Rows.DisposeAsync();

    private static string NameOf(ShardIdentity identity, IShardDatabase database) => FormattableString.Invariant($"--to number {identity.Shard} ({database.Name})");

    // Null if the database has rows of an earlier run.
    private static async Task<IShardTarget?> BeginAsync(
        ShardIdentity identity, IShardDatabase database, string name, MovedTables tables, CancellationToken cancellation)
    {
        var target = await database.BeginAsync(cancellation);
        try
        {
            if (await IsEmptyAsync(identity, target, name, tables, cancellation))
                return target;
        }
        catch
        {
            await target.DisposeAsync();
            throw;
        }
        await target.DisposeAsync();
        return null;
    }

    private static async Task<bool> IsEmptyAsync(
        ShardIdentity identity, IShardRows target, string name, MovedTables tables, CancellationToken cancellation)
    {
        var mark = await target.ReadMarkAsync(cancellation);
        if (mark is not null && mark != new ShardMark(identity.Shard, identity.Map.ToString()))
            throw new ReshardException(
                $"{name} {Marked(mark)}, and is given as {identity}. Correct the order of --to, or --slices; or give another, empty database.");
        foreach (var table in tables.All)
        {
            var rows = await target.CountAsync(table, cancellation);
            if (rows > 0 && mark is null)
                throw new ReshardException(FormattableString.Invariant(
                    $"{ShardIdentity.PrefixOf(identity)}the table {table.Name} of {name} has {rows} rows already, and no mark that they were copied. ")
                    + "Give another, empty database.");
            if (rows > 0)
                return false;
        }
        return true;
    }
}

/// <summary>Open resources in the order of the shards, which are closed together.</summary>
internal sealed class OpenShards<T> : IReadOnlyList<T>, IAsyncDisposable
    where T : IAsyncDisposable
{
    private readonly List<T> _open = [];

    public int Count => _open.Count;

    public T this[int index] => _open[index];

    internal async Task OpenAsync(Func<Task<T>> open) => _open.Add(await open());

    public IEnumerator<T> GetEnumerator() => _open.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    public async ValueTask DisposeAsync()
    {
        foreach (var each in _open)
            await each.DisposeAsync();
    }
}
