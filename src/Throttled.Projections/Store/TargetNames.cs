namespace Throttled.Projections.Store;

/// <summary>A read model that somebody named by its projection, and perhaps by its own name.</summary>
/// <param name="Name">The projection.</param>
/// <param name="Target">The read model.</param>
/// <param name="Role">What it is to the projection.</param>
/// <param name="Live">The projection's live read model.</param>
internal sealed record TargetNames(string Name, string Target, TargetRole Role, string Live)
{
    private string Itself => $"The read model '{Target}' of the projection '{Name}'";

    /// <exception cref="ProjectionException">There is no such projection, or it has no such read model.</exception>
    internal static async Task<TargetNames> FindAsync(StoreTransaction transaction, string name, string? target, CancellationToken cancellation)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        var all = await ReadAsync(transaction, cancellation).ConfigureAwait(false);
        var own = all.FindAll(each => each.Name == name);
        if (own.Count == 0)
            throw Unknown(name, all);
        return own.Find(each => target is null ? each.Role == TargetRole.Live : each.Target == target) ?? throw new ProjectionException(
            $"The projection '{name}' has no read model '{target}'; it has {string.Join(", ", own.Select(each => $"'{each.Target}' ({each.Role})"))}. "
            + "Name one of these, or leave it out for the live one.");
    }

    /// <summary>Looks whether a projection can have another read model of that name.</summary>
    /// <exception cref="ProjectionException">There is no such projection, or the name is taken.</exception>
    internal static async Task CheckNewAsync(StoreTransaction transaction, string name, string newTarget, CancellationToken cancellation)
    {
        var all = await ReadAsync(transaction, cancellation).ConfigureAwait(false);
        if (all.Find(each => each.Target == newTarget) is { } there)
            throw new ProjectionException($"{there.Itself} is there already ({there.Role}). Drop it, or take another name.");
        if (!all.Exists(each => each.Name == name))
            throw Unknown(name, all);
    }

    internal static async Task<List<TargetNames>> ReadAsync(StoreTransaction transaction, CancellationToken cancellation)
    {
        var rows = await transaction.ReadAsync(
            $"SELECT projection, version, role FROM {StoreTables.Projection} ORDER BY version",
            row => new TargetNames(row.GetString(0), row.GetString(1), Enum.Parse<TargetRole>(row.GetString(2)), ""), cancellation).ConfigureAwait(false);
        return rows.ConvertAll(row => row with { Live = rows.Find(each => each.Name == row.Name && each.Role == TargetRole.Live)?.Target ?? row.Name });
    }

    /// <exception cref="ProjectionException">The command could have no effect.</exception>
    internal void Allow(CommandVerb verb)
    {
        if (verb is CommandVerb.Swap or CommandVerb.ForcedSwap)
        {
            if (Role != TargetRole.Building)
                throw new ProjectionException($"{Itself} is {Role}; only one that is {TargetRole.Building} can be swapped in. Rebuild first.");
        }
        else if (verb != CommandVerb.Drop)
        {
            CheckIsWritten();
        }
        else if (Role == TargetRole.Live)
        {
            throw new ProjectionException($"{Itself} is {Role} and cannot be dropped. Swap another in first.");
        }
    }

    /// <exception cref="ProjectionException">No process writes it.</exception>
    internal void CheckIsWritten()
    {
        if (Role == TargetRole.Retired)
            throw NotWritten();
    }

    internal ProjectionException NotWritten() => new(
        $"{Itself} is {Role}: no process writes it any more, and so this has no effect. Live is '{Live}': name that, or leave it out. '{Target}' can be dropped.");

    internal static string Listed(List<string> names, string none, string some)
    {
        const int most = 10;
        var listed = string.Join(", ", names.Take(most).Select(name => $"'{name}'"));
        return names.Count == 0 ? none : names.Count <= most ? $"{some} {listed}" : $"{some} {listed} and {names.Count - most} more";
    }

    private static ProjectionException Unknown(string name, List<TargetNames> all) => all.Find(each => each.Target == name) is { } target
        ? new($"There is no projection '{name}' in this database; '{name}' is a read model of the projection '{target.Name}'. Name the projection '{target.Name}', and '{name}' as its 'target'.")
        : new($"There is no projection '{name}' in this database; there {Listed([.. all.Select(each => each.Name).Distinct()], "is no projection", "are")}.");
}
