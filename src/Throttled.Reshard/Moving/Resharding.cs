using Throttled.Journal;

namespace Throttled.Reshard;

/// <summary>Divides a journal anew: copies all rows of its databases to others, and checks that they are there.</summary>
/// <param name="tables">The journal's tables.</param>
/// <param name="from">The databases that have it, in the order of their shards. They are only read.</param>
/// <param name="to">Those that are to have it, in the order of their shards.</param>
/// <param name="map">Which of these is to have which slices.</param>
/// <param name="say">Called with what happens, line by line.</param>
internal sealed class Resharding(
    MovedTables tables, IReadOnlyList<IShardDatabase> from, IReadOnlyList<IShardDatabase> to, ShardMap map, Action<string> say)
{
    /// <summary>Copies to the shards that are empty, and verifies those that are not.</summary>
    /// <exception cref="ReshardException">It cannot be done; nothing was written.</exception>
    internal Task<ReshardReport> CopyAsync(CancellationToken cancellation) => RunAsync(isCopy: true, cancellation);

    /// <summary>Checks whether each shard has what it should.</summary>
    /// <exception cref="ReshardException">It cannot be said.</exception>
    internal Task<ReshardReport> VerifyAsync(CancellationToken cancellation) => RunAsync(isCopy: false, cancellation);

    private async Task<ReshardReport> RunAsync(bool isCopy, CancellationToken cancellation)
    {
        await RefuseTwiceAsync(cancellation).ConfigureAwait(false);
        var sources = new OpenShards<IShardSnapshot>();
        await using var closing = sources.ConfigureAwait(false);
        foreach (var database in from)
            await sources.OpenAsync(() => database.SnapshotAsync(cancellation)).ConfigureAwait(false);
        foreach (var line in await OtherConnections.WarningsAsync(from, sources, cancellation).ConfigureAwait(false))
            say(line);
        var division = new Division(await OldMap.ReadAsync(from, sources, cancellation).ConfigureAwait(false), map);
        var targets = new OpenShards<ShardPart>();
        await using var ending = targets.ConfigureAwait(false);
        for (var shard = 0; shard < map.Count; shard++)
            await OpenAsync(targets, shard, isCopy, cancellation).ConfigureAwait(false);
        List<SourceRun> runs = [.. sources.Select((source, i) =>
            new SourceRun(tables, new(division.From, i), source, [.. division.PartsOf(i).Select(shard => targets[shard])], say))];
        foreach (var run in runs)
            await run.RunAsync(cancellation).ConfigureAwait(false);
        // All of them behind the last read: a writer that comes while another old shard is read would not be seen.
        foreach (var run in runs)
            await run.CheckUnchangedAsync(cancellation).ConfigureAwait(false);
        var warnings = await OtherConnections.WarningsAsync(from, sources, cancellation).ConfigureAwait(false);
        List<ShardOutcome> outcomes = [];
        foreach (var run in runs)
            outcomes.AddRange(await run.CommitAsync(cancellation).ConfigureAwait(false));
        return new([.. outcomes.OrderBy(each => each.Identity.Shard)], warnings);
    }

    private Task OpenAsync(OpenShards<ShardPart> targets, int shard, bool isCopy, CancellationToken cancellation) =>
        targets.OpenAsync(() => ShardPart.OpenAsync(new(map, shard), to[shard], tables, isCopy, cancellation));

    // Before anything is locked: a file that is given twice would wait for itself.
    private async Task RefuseTwiceAsync(CancellationToken cancellation)
    {
        var options = from.Select((_, i) => ("--from", i)).Concat(to.Select((_, i) => ("--to", i)));
        List<(string Identity, string Name)> named = [];
        foreach (var ((option, number), database) in options.Zip(from.Concat(to)))
            named.Add((await database.IdentityAsync(cancellation).ConfigureAwait(false), FormattableString.Invariant($"{option} number {number} ({database.Name})")));
        var twice = named.GroupBy(each => each.Identity, StringComparer.Ordinal).FirstOrDefault(group => group.Skip(1).Any());
        if (twice is not null)
            throw new ReshardException(
                $"{string.Join(" and ", twice.Select(each => each.Name))} are the same database. "
                + "Give each only once; the journal stays where it is, and is copied to others.");
    }
}

/// <summary>A journal cannot be divided anew as it was asked for; the message says what to do.</summary>
internal sealed class ReshardException(string message, Exception? inner = null) : Exception(message, inner);
