namespace Throttled.Journal.Sharding.Moving;

/// <summary>A shard that is written, or verified because it was written before.</summary>
internal sealed class ShardPart : IAsyncDisposable
{
    private ShardPart(ShardPlace place, IShardRows rows, string name) => (Place, Rows, Name) = (place, rows, name);

    internal ShardPlace Place { get; }

    /// <summary>The option that gives it, and its database.</summary>
    internal string Name { get; }

    internal IShardRows Rows { get; }

    /// <summary>The transaction that writes it; null where it is only verified.</summary>
    internal IShardTarget? Target => Rows as IShardTarget;

    /// <param name="place">Which shard it is.</param>
    /// <param name="database">Where it is.</param>
    /// <param name="tables">The tables.</param>
    /// <param name="isCopy">Whether it is written where it is empty.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="ReshardException">It has rows, and no mark that they are a shard's.</exception>
    internal static async Task<ShardPart> OpenAsync(
        ShardPlace place, IShardDatabase database, MovedTables tables, bool isCopy, CancellationToken cancellation)
    {
        var name = FormattableString.Invariant($"--to number {place.Shard} ({database.Name})");
        if (isCopy && await BeginAsync(place, database, name, tables, cancellation).ConfigureAwait(false) is { } target)
            return new(place, target, name);
        return new(place, await database.SnapshotAsync(cancellation).ConfigureAwait(false), name);
    }

    internal static string Marked(ShardStamp stamp) => FormattableString.Invariant($"is marked as shard {stamp.Shard} of \"{stamp.Map}\"");

    public ValueTask DisposeAsync() => Rows.DisposeAsync();

    // Null where it has what a run before has brought.
    private static async Task<IShardTarget?> BeginAsync(
        ShardPlace place, IShardDatabase database, string name, MovedTables tables, CancellationToken cancellation)
    {
        var target = await database.BeginAsync(cancellation).ConfigureAwait(false);
        try
        {
            if (await IsEmptyAsync(place, target, name, tables, cancellation).ConfigureAwait(false))
                return target;
        }
        catch
        {
            await target.DisposeAsync().ConfigureAwait(false);
            throw;
        }
        await target.DisposeAsync().ConfigureAwait(false);
        return null;
    }

    private static async Task<bool> IsEmptyAsync(
        ShardPlace place, IShardTarget target, string name, MovedTables tables, CancellationToken cancellation)
    {
        var stamp = await target.StampAsync(cancellation).ConfigureAwait(false);
        if (stamp is not null && stamp != new ShardStamp(place.Shard, place.Map.ToString()))
            throw new ReshardException(
                $"{name} {Marked(stamp)}, and is given as {place}. Correct the order of --to, or --slices; or give another, empty database.");
        foreach (var table in tables.All)
        {
            var rows = await target.CountAsync(table, cancellation).ConfigureAwait(false);
            if (rows > 0 && stamp is null)
                throw new ReshardException(FormattableString.Invariant(
                    $"{ShardPlace.PrefixOf(place)}the table {table.Name} of {name} has {rows} rows already, and no mark that they were copied. ")
                    + "Give another, empty database.");
            if (rows > 0)
                return false;
        }
        return true;
    }
}
