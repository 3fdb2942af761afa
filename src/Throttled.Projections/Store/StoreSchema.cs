using Throttled.Projections.Databases;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Store;

internal sealed class StoreSchema(ReadModelDatabase readModel)
{
    /// <summary>
    /// Creates the tables or brings them up to date, in one transaction. If they are up to date, the role needs no right to create tables. Tables of a
    /// newer release stay as they are.
    /// </summary>
    internal async Task UpdateAsync(CancellationToken cancellation)
    {
        if (await readModel.ReadAsync(t => IsUpToDateAsync(t), cancellation).ConfigureAwait(false))
            return;
        await readModel.WriteAsync(
            async transaction =>
            {
                if (readModel.Dialect.InstallLock(Schema.Projection) is { } turn)
                    await transaction.ExecuteAsync(turn).ConfigureAwait(false);
                if (await IsUpToDateAsync(transaction).ConfigureAwait(false))
                    return;
                foreach (var sql in Schema.Statements(readModel.Dialect, (await ReadAsync(transaction).ConfigureAwait(false)).Version))
                    await transaction.ExecuteAsync(sql).ConfigureAwait(false);
            },
            cancellation).ConfigureAwait(false);
    }

    internal async Task<string?> ExplainAsync(CancellationToken cancellation)
    {
        var (tables, isWhole) = await readModel.ReadAsync(
            async t => (await ReadAsync(t).ConfigureAwait(false), await IsWholeAsync(t).ConfigureAwait(false)), cancellation).ConfigureAwait(false);
        return tables.UsableFrom > Schema.Version ? Newer(tables)
            : tables.Version == 0 ? $"The tables of projections ({Schema.Projection} and others) are not in this database. Start the projection once, or connect to its read model's database and schema."
            : tables.Version < Schema.Version || !isWhole ? FormattableString.Invariant(
                $"The tables of projections ({Schema.Projection} and others) have version {tables.Version} in this database, and this release needs all tables of version {Math.Max(tables.Version, Schema.Version)}. Start the projection once with {(tables.Version > Schema.Version ? "the release that made them" : "this release")}, which brings them up to date.")
            : null;
    }

    /// <summary>Returns 0 if there are no tables.</summary>
    internal async Task<int> ReadAsync(CancellationToken cancellation) =>
        (await readModel.ReadAsync(t => ReadAsync(t), cancellation).ConfigureAwait(false)).Version;

    // Only the newer release can create what is missing in its tables.
    private async Task<bool> IsUpToDateAsync(DatabaseTransaction transaction)
    {
        var tables = await ReadAsync(transaction).ConfigureAwait(false);
        if (tables.UsableFrom > Schema.Version)
            throw new ProjectionException(Newer(tables));
        return tables.Version > Schema.Version || (tables.Version == Schema.Version && await IsWholeAsync(transaction).ConfigureAwait(false));
    }

    internal async Task<(int Version, int UsableFrom)> ReadAsync(DatabaseTransaction transaction)
    {
        if (await CountAsync(transaction, [Schema.SchemaVersion]).ConfigureAwait(false) == 0)
            return ((int)await CountAsync(transaction, [Schema.Projection]).ConfigureAwait(false), 0);
        var versions = await transaction.ReadAsync(
            $"SELECT version, usable_from FROM {Schema.SchemaVersion}", row => (row.GetInt32(0), row.GetInt32(1))).ConfigureAwait(false);
        return versions.DefaultIfEmpty((1, 0)).Max();
    }

    private async Task<bool> IsWholeAsync(DatabaseTransaction transaction) =>
        await CountAsync(transaction, Schema.Names).ConfigureAwait(false) == Schema.Names.Count;

    private async Task<long> CountAsync(DatabaseTransaction transaction, IReadOnlyList<string> names) =>
        (await transaction.ReadAsync(readModel.Dialect.CountTables(Schema.Projection, names), row => row.GetInt64(0)).ConfigureAwait(false))[0];

    private static string Newer((int Version, int UsableFrom) tables) => FormattableString.Invariant(
        $"The tables of projections ({Schema.Projection} and others) have version {tables.Version} in this database: a newer release has made them. Only releases that know version {tables.UsableFrom} can use them; this one knows versions up to {Schema.Version}. Update this process to such a release.");
}
