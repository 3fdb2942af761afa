using Throttled.Journal.Relational;

namespace Throttled.Tool.Reshard;

/// <summary>A new shard, and what a copy would do with it.</summary>
/// <param name="Identity">The shard.</param>
/// <param name="From">The old shard that has its rows.</param>
/// <param name="IsWritten">Whether a copy would write it, or compare the rows that it has. Null if its database is not given.</param>
/// <param name="Tables">The rows that it would get.</param>
internal sealed record PlannedShard(ShardIdentity Identity, int From, bool? IsWritten, IReadOnlyList<(string Table, RowSum Rows)> Tables);

/// <summary>What a copy would do. <c>Time</c> is how long this plan took to read the rows. There is a warning for each old database that has other connections.</summary>
internal sealed record ReshardPlan(IReadOnlyList<PlannedShard> Shards, TimeSpan Time, IReadOnlyList<string> Warnings);

/// <summary>Reads all rows of a journal's databases, and says which new shard would get them. Writes nothing.</summary>
internal sealed class Planning(
    MovedTables tables, IReadOnlyList<IShardDatabase> from, IReadOnlyList<IShardDatabase> to, ShardMap map, MoveProgress progress)
{
    // Each row is read once.
    private const int Passes = 1;

    /// <exception cref="ReshardException">A copy would be refused.</exception>
    internal async Task<ReshardPlan> RunAsync(TimeProvider clock, CancellationToken cancellation)
    {
        await Resharding.RefuseTwiceAsync(from, to, cancellation);
        await using var sources = new OpenShards<IShardSnapshot>();
        foreach (var database in from)
            await sources.OpenAsync(() => database.SnapshotAsync(cancellation));
        var warnings = await OtherConnections.WarningsAsync(from, sources, cancellation);
        var division = new Division(await OldMap.ReadAsync(from, sources, cancellation), map);
        List<bool?> written = [];
        for (var shard = 0; shard < map.Count; shard++)
            written.Add(to.Count == 0 ? null : await ShardPart.IsWrittenAsync(new(map, shard), to[shard], tables, cancellation));
        List<SourceRows> read = [.. sources.Select((source, i) => new SourceRows(tables, new(division.From, i), source, progress))];
        foreach (var rows in read)
            await rows.PrepareAsync(Passes, cancellation);
        var start = clock.GetTimestamp();
        List<PlannedShard> shards = [];
        for (var i = 0; i < read.Count; i++)
            shards.AddRange(await DivideAsync(read[i], i, division, written, cancellation));
        return new([.. shards.OrderBy(each => each.Identity.Shard)], clock.GetElapsedTime(start), warnings);
    }

    private async Task<IEnumerable<PlannedShard>> DivideAsync(SourceRows rows, int number, Division division, List<bool?> written, CancellationToken cancellation)
    {
        var parts = division.PartsOf(number).ToDictionary(shard => shard, _ => (IRowWriter?)null);
        List<(string Table, IReadOnlyDictionary<int, RowSum> Sums)> found = [];
        foreach (var table in rows.Tables)
            found.Add((table.Shape.Table.Name, await rows.StreamAsync(table, map, parts, cancellation)));
        return parts.Keys.Select(shard => new PlannedShard(new(map, shard), number, written[shard], [.. found.Select(each => (each.Table, each.Sums[shard]))]));
    }
}
