using Throttled.Projections.Databases;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Store;

internal sealed record VersionNames(string Projection, string Version, VersionRole Role, string Live)
{
    private string Itself => $"The read model '{Version}' of the projection '{Projection}'";

    internal static async Task<VersionNames> FindAsync(DatabaseTransaction transaction, string name, string? version)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        var all = await ReadAsync(transaction).ConfigureAwait(false);
        var own = all.FindAll(each => each.Projection == name);
        if (own.Count == 0)
            throw Unknown(name, all);
        return own.Find(each => version is null ? each.Role == VersionRole.Live : each.Version == version) ?? throw new ProjectionException(
            $"The projection '{name}' has no read model '{version}'; it has {string.Join(", ", own.Select(each => $"'{each.Version}' ({Text(each.Role)})"))}. "
            + "Name one of these, or leave it out for the live one.");
    }

    internal static async Task CheckNewAsync(DatabaseTransaction transaction, string name, string newVersion)
    {
        var all = await ReadAsync(transaction).ConfigureAwait(false);
        if (all.Find(each => each.Version == newVersion) is { } there)
            throw new ProjectionException($"{there.Itself} is there already ({Text(there.Role)}). Drop it, or take another name.");
        if (await FindAlikeAsync(transaction, newVersion).ConfigureAwait(false) is { } alike)
            throw new ProjectionException($"{alike.Itself} has the same name as '{newVersion}' but for its case or its accents, and a database may take both for one table. Take another name.");
        if (!all.Exists(each => each.Projection == name))
            throw Unknown(name, all);
    }

    /// <summary>The version whose name a database may take for the same table; null if there is none.</summary>
    internal static async Task<VersionNames?> FindAlikeAsync(DatabaseTransaction transaction, string newVersion)
    {
        var all = await ReadAsync(transaction).ConfigureAwait(false);
        var alike = all.Find(each => each.IsAlike(newVersion));
        if (alike is not null || transaction.Dialect.OneTable("version", "@version") is not { } isOneTable)
            return alike;
        var found = await transaction.ReadAsync(
            $"SELECT version FROM {Schema.Projection} WHERE {isOneTable}", row => row.GetString(0), ("version", newVersion)).ConfigureAwait(false);
        return all.Find(each => found.Contains(each.Version));
    }

    // SQLite ignores the case of ASCII letters, and most collations of SQL Server that of all.
    private bool IsAlike(string name) => Version.TrimEnd(' ').Equals(name.TrimEnd(' '), StringComparison.OrdinalIgnoreCase);

    internal static async Task<List<VersionNames>> ReadAsync(DatabaseTransaction transaction)
    {
        var rows = await transaction.ReadAsync(
            $"SELECT projection, version, role FROM {Schema.Projection} ORDER BY version",
            row => new VersionNames(row.GetString(0), row.GetString(1), Enum.Parse<VersionRole>(row.GetString(2)), "")).ConfigureAwait(false);
        return rows.ConvertAll(row => row with { Live = rows.Find(each => each.Projection == row.Projection && each.Role == VersionRole.Live)?.Version ?? row.Projection });
    }

    internal void Allow(CommandVerb verb)
    {
        if (verb is CommandVerb.Swap or CommandVerb.ForcedSwap)
        {
            if (Role != VersionRole.Building)
                throw new ProjectionException($"{Itself} is {Text(Role)}; only one that is {Text(VersionRole.Building)} can be swapped in. Rebuild first.");
        }
        else if (verb != CommandVerb.Drop)
        {
            CheckIsWritten();
        }
        else if (Role == VersionRole.Live)
        {
            throw new ProjectionException($"{Itself} is {Text(Role)} and cannot be dropped. Swap another in first.");
        }
    }

    internal void CheckIsWritten()
    {
        if (Role == VersionRole.Retired)
            throw NotWritten();
    }

    internal ProjectionException NotWritten() => new(
        $"{Itself} is {Text(Role)}: no process writes it any more, so this has no effect. The live one is '{Live}': give that name, or no name. '{Version}' can be dropped.");

    internal static string Listed(List<string> names, string none, string some)
    {
        const int most = 10;
        var listed = string.Join(", ", names.Take(most).Select(name => $"'{name}'"));
        return names.Count == 0 ? none : names.Count <= most ? $"{some} {listed}" : $"{some} {listed} and {names.Count - most} more";
    }

    private static ProjectionException Unknown(string name, List<VersionNames> all) => all.Find(each => each.Version == name) is { } version
        ? new($"There is no projection '{name}' in this database; '{name}' is a read model of the projection '{version.Projection}'. Name the projection '{version.Projection}', and give '{name}' as 'version'.")
        : new(Unknown(name, [.. all.Select(each => each.Projection).Distinct()]));

    /// <summary>The error for a name that is not among the <paramref name="known"/> ones.</summary>
    internal static string Unknown(string name, IReadOnlyList<string> known) =>
        $"There is no projection '{name}' in this database. {(known.Count > 0 ? $"It has: {string.Join(", ", known)}." : "It has none yet: start the application once.")}";

    internal static string Text(VersionRole role) => $"{role}".ToLowerInvariant();

    internal static string Text(CommandState state) => $"{state}".ToLowerInvariant();
}
