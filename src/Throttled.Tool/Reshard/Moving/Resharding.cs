using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Reshard;

/// <summary>
/// Divides a journal again: copies all rows of its databases, which are only read, to others, and verifies them. Databases are in the order of their
/// shards; the map is that of the new ones.
/// </summary>
internal sealed class Resharding(
    MovedTables tables, IReadOnlyList<IShardDatabase> from, IReadOnlyList<IShardDatabase> to, ShardMap map, MoveProgress progress)
{
    /// <summary>Copies to the empty shards, and verifies the others.</summary>
    /// <exception cref="ReshardException">The copy is not possible; nothing was written.</exception>
    internal Task<ReshardReport> CopyAsync(CancellationToken cancellation) => RunAsync(isCopy: true, cancellation);

    /// <summary>Checks whether each shard has the right rows.</summary>
    /// <exception cref="ReshardException">The check is not possible.</exception>
    internal Task<ReshardReport> VerifyAsync(CancellationToken cancellation) => RunAsync(isCopy: false, cancellation);

    private async Task<ReshardReport> RunAsync(bool isCopy, CancellationToken cancellation)
    {
        await RefuseTwiceAsync(from, to, cancellation);
        await using var sources = new OpenShards<IShardSnapshot>();
        foreach (var database in from)
            await sources.OpenAsync(() => database.SnapshotAsync(cancellation));
        foreach (var line in await OtherConnections.WarningsAsync(from, sources, cancellation))
            progress.Say(line);
        var division = new Division(await OldMap.ReadAsync(from, sources, cancellation), map);
        await using var targets = new OpenShards<ShardPart>();
        for (var shard = 0; shard < map.Count; shard++)
            await OpenAsync(targets, shard, isCopy, cancellation);
        List<SourceRun> runs = [.. sources.Select((source, i) =>
            new SourceRun(new(tables, new(division.From, i), source, progress), source, [.. division.PartsOf(i).Select(shard => targets[shard])], progress))];
        foreach (var run in runs)
            await run.PrepareAsync(cancellation);
        foreach (var run in runs)
            await run.RunAsync(cancellation);
        // All checks come after the last read. Otherwise a write to one old shard while another is being read would not be detected.
        foreach (var run in runs)
            await run.CheckUnchangedAsync(cancellation);
        var warnings = await OtherConnections.WarningsAsync(from, sources, cancellation);
        List<ShardOutcome> outcomes = [];
        foreach (var run in runs)
            outcomes.AddRange(await run.CommitAsync(cancellation));
        return new([.. outcomes.OrderBy(each => each.Identity.Shard)], warnings);
    }

    private Task OpenAsync(OpenShards<ShardPart> targets, int shard, bool isCopy, CancellationToken cancellation) =>
        targets.OpenAsync(() => ShardPart.OpenAsync(new(map, shard), to[shard], tables, isCopy, cancellation));

    /// <summary>Call this before any lock: a file that is given twice would wait for its own lock.</summary>
    /// <exception cref="ReshardException">A database is given twice.</exception>
    internal static async Task RefuseTwiceAsync(IReadOnlyList<IShardDatabase> from, IReadOnlyList<IShardDatabase> to, CancellationToken cancellation)
    {
        var options = from.Select((_, i) => ("--from", i)).Concat(to.Select((_, i) => ("--to", i)));
        List<(string Identity, string Name)> named = [];
        foreach (var ((option, number), database) in options.Zip(from.Concat(to)))
            named.Add((await database.IdentityAsync(cancellation), FormattableString.Invariant($"{option} number {number} ({database.Name})")));
        var twice = named.GroupBy(each => each.Identity, StringComparer.Ordinal).FirstOrDefault(group => group.Skip(1).Any());
        if (twice is not null)
            throw new ReshardException(
                $"{string.Join(" and ", twice.Select(each => each.Name))} are the same database. "
                + "Give each only once; the journal stays where it is, and is copied to others.");
    }
}

/// <summary>A journal cannot be divided as requested. The message says what to do.</summary>
internal sealed class ReshardException(string message, Exception? inner = null) : CommandException(message, inner);
