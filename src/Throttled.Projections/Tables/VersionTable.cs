using System.Data.Common;
using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;

namespace Throttled.Projections.Tables;

internal static class VersionTable
{
    private const string Columns = "version, projection, role, source, lanes, epoch, paused, resumes, journal_end, history, start_offset, counted_from";

    internal static async Task<IReadOnlyList<VersionRow>> ReadAsync(DatabaseTransaction transaction, string name)
    {
        var rows = await transaction.ReadAsync(
            $"SELECT {Columns}, {Sum("events")}, {Sum("unhandled")} FROM {Schema.Projection} AS p WHERE projection = @projection ORDER BY version",
            row => Row(row) with { Handled = new(row.GetInt64(12), row.GetInt64(13)) }, ("projection", name)).ConfigureAwait(false);
        var shards = await ShardTable.ReadAsync(transaction, name).ConfigureAwait(false);
        return [.. rows.Select(row => With(row, [.. shards[row.Version]]))];
    }

    private static VersionRow With(VersionRow row, (string Slices, long JournalEnd)[] shards) => shards.Length == 0
        ? row
        : row with { Map = ShardTable.MapOf(shards.Select(shard => shard.Slices)), JournalEnds = [.. shards.Select(shard => shard.JournalEnd)] };

    private static string Sum(string column) =>
        $"(SELECT coalesce(CAST(sum(o.{column}) AS bigint), 0) FROM {Schema.Offset} AS o WHERE o.version = p.version)";

    internal static Task<VersionRow> LockAsync(DatabaseTransaction transaction, string version) =>
        OneAsync(transaction, version, isLocked: true);

    internal static Task<VersionRow> ReadOneAsync(DatabaseTransaction transaction, string version) => OneAsync(transaction, version, isLocked: false);

    private static async Task<VersionRow> OneAsync(DatabaseTransaction transaction, string version, bool isLocked) =>
        await FindAsync(transaction, version, isLocked).ConfigureAwait(false) ?? throw new FencedException($"'{version}' is not there any more.");

    internal static async Task<VersionRow?> FindAsync(DatabaseTransaction transaction, string version, bool isLocked = false) =>
        (await transaction.ReadAsync(
            $"SELECT {Columns} FROM {Schema.Projection}{(isLocked ? transaction.Dialect.Locking : "")} WHERE version = @version{(isLocked ? transaction.Dialect.ForUpdate : "")}",
            Row, ("version", version)).ConfigureAwait(false)).SingleOrDefault();

    /// <summary>Returns false if the version existed. A second transaction that inserts the same version waits for the end of this one.</summary>
    internal static async Task<bool> InsertAsync(DatabaseTransaction transaction, VersionRow row)
    {
        if (transaction.Dialect.NameLock is { } sql)
            await transaction.ExecuteAsync(sql, ("name", row.Version)).ConfigureAwait(false);
        return await transaction.ExecuteAsync(
            $"""
            INSERT INTO {Schema.Projection} ({Columns})
            SELECT @version, @projection, @role, @source, @lanes, @epoch, @paused, @resumes, @journal_end, @history, @start, @counted
            {transaction.Dialect.IfAbsentUnderLock(Schema.Projection, "version = @version", "version")}
            """,
            ("version", row.Version), ("projection", row.Projection), ("role", row.Role.ToString()), ("source", row.Source),
            ("lanes", row.Lanes), ("epoch", row.Epoch), ("paused", row.IsPaused), ("resumes", row.Resumes), ("journal_end", 0L), ("history", row.History.Text), ("start", row.StartOffset),
            ("counted", row.CountedFrom))
            .ConfigureAwait(false) > 0;
    }

    internal static Task UpdateAsync(DatabaseTransaction transaction, VersionRow row) =>
        transaction.ExecuteAsync(
            $"UPDATE {Schema.Projection} SET role = @role, lanes = @lanes, epoch = @epoch, history = @history, start_offset = @start, counted_from = @counted WHERE version = @version",
            ("role", row.Role.ToString()), ("lanes", row.Lanes), ("epoch", row.Epoch), ("history", row.History.Text), ("start", row.StartOffset),
            ("counted", row.CountedFrom), ("version", row.Version));

    internal static async Task<bool> UpdateWrittenAsync(DatabaseTransaction transaction, string version, string set) =>
        await transaction.ExecuteAsync(
            $"UPDATE {Schema.Projection} SET {set} WHERE version = @version AND role <> '{nameof(VersionRole.Retired)}'",
            ("version", version)).ConfigureAwait(false) > 0;

    internal static Task DeleteAsync(DatabaseTransaction transaction, string version) =>
        transaction.ExecuteAsync($"DELETE FROM {Schema.Projection} WHERE version = @version", ("version", version));

    private static VersionRow Row(DbDataReader row) => new(
        row.GetString(0), row.GetString(1), Enum.Parse<VersionRole>(row.GetString(2)), row.GetString(3), row.GetInt32(4), row.GetInt64(5),
        row.GetBoolean(6), row.GetInt64(7))
    {
        JournalEnds = [row.GetInt64(8)],
        History = VersionHistory.Parse(row.GetString(0), row.TextOrNull(9)),
        StartOffset = row.TextOrNull(10),
        CountedFrom = row.LongOrNull(11) ?? 0,
    };
}

/// <summary>A row of the projection table. The first epoch is the Unix time in ms. After a resume, lanes that failed before are tried again.</summary>
internal sealed record VersionRow(
    string Version, string Projection, VersionRole Role, string Source, int Lanes, long Epoch, bool IsPaused, long Resumes)
{
    internal ShardMap Map { get; init; } = ShardMap.Even(1);

    /// <summary>0 if an end was not seen.</summary>
    internal IReadOnlyList<long> JournalEnds { get; init; } = [];

    internal HandledEvents Handled { get; init; }

    /// <summary>Where it begins, as a <see cref="JournalPoint"/>; null for the first event.</summary>
    internal string? StartOffset { get; init; }

    /// <summary>Where it began to count its events, at its creation or the last reset: an ordering, or the sum of those of its shards.</summary>
    internal long CountedFrom { get; init; }

    /// <exception cref="ProjectionException">The shards of the map are not parts of those that the start is of.</exception>
    internal JournalPoint StartOn(ShardMap map)
    {
        try
        {
            return JournalPoint.Parse(StartOffset ?? "0", map);
        }
        catch (Exception error) when (error is ArgumentException or FormatException)
        {
            throw new ProjectionException($"The start of the read model '{Version}' ({StartOffset}) is not a place in this journal: {error.Message}", error);
        }
    }

    internal VersionRow StartingAfter(JournalPoint start) => this with { StartOffset = start.IsFirstEvent ? null : start.ToString() };

    /// <summary>Empty if an older release created the version, until it is reset.</summary>
    internal VersionHistory History { get; init; } = new(Version);

    internal LaneLayout Layout => new(Lanes, Map);

    internal long JournalEndOf(int shard) => JournalEnds.ElementAtOrDefault(shard);
}
