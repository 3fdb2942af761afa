using System.Data.Common;
using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;

namespace Throttled.Projections.Tables;

/// <summary>
/// The offsets. Each row carries the epoch of its version, so a lane locks only its own rows. A reset or a new layout rewrites them under the next
/// epoch. It waits for a lane's transaction, or it commits first and the lane does not find its rows.
/// </summary>
internal static class OffsetTable
{
    private const string Offset = Schema.Offset;

    internal static Task<List<(SliceOffset Position, long Epoch)>> ReadAsync(
        DatabaseTransaction transaction, string version, SliceRange slices) => transaction.ReadAsync(
            $"""
            SELECT first_slice, last_slice, ordering, timestamp, epoch FROM {Offset}
            WHERE version = @version AND first_slice <= @last AND last_slice >= @first ORDER BY first_slice
            """,
            row => (Row(row), row.GetInt64(4)), ("version", version), ("first", slices.First), ("last", slices.Last));

    /// <summary>
    /// How far each lane of a version is, also if it has no offset row. A lane without events has handled all that its owner has read, but it stores
    /// its offset only from time to time.
    /// </summary>
    internal static Task<List<LaneOffset>> OfLanesAsync(DatabaseTransaction transaction, string version)
    {
        var isOwned = transaction.Dialect.Holds("l.lease_until");
        return transaction.ReadAsync(
            $"""
            SELECT coalesce(o.first_slice, l.first_slice), coalesce(o.last_slice, l.last_slice),
                {transaction.Dialect.Greatest("coalesce(o.ordering, 0)", $"CASE WHEN {isOwned} THEN l.read_up_to ELSE 0 END")}, coalesce(o.timestamp, 0),
                l.lane, CASE WHEN {isOwned} THEN l.owner END, l.state, l.error
            FROM {Schema.Lane} AS l LEFT JOIN {Offset} AS o ON o.version = l.version AND o.first_slice BETWEEN l.first_slice AND l.last_slice
            WHERE l.version = @version ORDER BY l.lane, o.first_slice
            """,
            row => new LaneOffset(Row(row), row.GetInt32(4), row.TextOrNull(5), Enum.Parse<LaneState>(row.GetString(6)), row.TextOrNull(7)),
            ("version", version));
    }

    /// <summary>Locks all rows of a version. Its lanes have committed, or will be fenced, and no other transaction can change the version.</summary>
    internal static async Task<IReadOnlyList<SliceOffset>> LockAsync(DatabaseTransaction transaction, string version)
    {
        while (true)
        {
            var held = await AllAsync(transaction, version, isLocked: true).ConfigureAwait(false);
            // The previous owner of the lock may have replaced the rows. The new rows are not among those that this statement waited for.
            var there = await AllAsync(transaction, version, isLocked: false).ConfigureAwait(false);
            if (there.SequenceEqual(held))
                return held;
        }
    }

    private static Task<List<SliceOffset>> AllAsync(DatabaseTransaction transaction, string version, bool isLocked) =>
        transaction.ReadAsync(
            $"SELECT first_slice, last_slice, ordering, timestamp FROM {Offset}{(isLocked ? transaction.Dialect.Locking : "")} WHERE version = @version ORDER BY first_slice{(isLocked ? transaction.Dialect.ForUpdate : "")}",
            Row, ("version", version));

    internal static bool Cover(IReadOnlyList<SliceOffset> rows, SliceRange slices)
    {
        var next = slices.First;
        foreach (var row in rows)
        {
            if (row.Slices.First != next)
                return false;
            next = row.Slices.Last + 1;
        }
        return next == slices.Last + 1;
    }

    /// <summary>
    /// Deletes the rows that are merged into others and updates the rest. It inserts none: a reset that waits for these rows would not see a row that
    /// was inserted after its statement began.
    /// </summary>
    internal static async Task MoveAsync(DatabaseTransaction transaction, string version, long epoch, OffsetMove move)
    {
        // https://www.postgresql.org/docs/current/transaction-iso.html#XACT-READ-COMMITTED
        var (next, merged) = (0, default(HandledEvents));
        foreach (var from in move.From)
        {
            var row = new OffsetRow(version, epoch, from);
            if (next < move.To.Count && move.To[next].Slices.First == from.Slices.First)
                await UpdateAsync(transaction, row, move.To[next], next++ == 0 ? move.Events : 0).ConfigureAwait(false);
            else
                merged += await DeleteAsync(transaction, row).ConfigureAwait(false);
        }
        if (next < move.To.Count)
            throw new ArgumentException("A move merges rows and divides none.", nameof(move));
        if (merged != default)
            await CountAsync(transaction, version, move.To[0].Slices.First, merged).ConfigureAwait(false);
    }

    internal static Task InsertAsync(
        DatabaseTransaction transaction, string version, long epoch, IReadOnlyList<SliceOffset> offsets, HandledEvents handled)
    {
        var rows = new SqlRows(
            ("first", offsets.Select(row => row.Slices.First).ToArray()),
            ("last", offsets.Select(row => row.Slices.Last).ToArray()),
            ("ordering", offsets.Select(row => row.Ordering).ToArray()),
            ("timestamp", offsets.Select(row => row.Timestamp).ToArray()),
            // The number of handled events belongs to the version, so it does not matter which of its rows carries it.
            ("events", offsets.Select((_, index) => index == 0 ? handled.Events : 0L).ToArray()),
            ("unhandled", offsets.Select((_, index) => index == 0 ? handled.Unhandled : 0L).ToArray()));
        return transaction.ExecuteForAsync(
            rows,
            $"""
            INSERT INTO {Offset} (version, first_slice, last_slice, ordering, timestamp, epoch, events, unhandled, moved_at)
            SELECT @version, r.first, r.last, r.ordering, r.timestamp, @epoch, r.events, r.unhandled, {transaction.Dialect.Now}
            FROM {transaction.Dialect.Rows(rows)}
            """,
            ("version", version), ("epoch", epoch));
    }

    internal static Task SetEpochAsync(DatabaseTransaction transaction, string version, long epoch) =>
        transaction.ExecuteAsync($"UPDATE {Offset} SET epoch = @epoch WHERE version = @version", ("epoch", epoch), ("version", version));

    internal static async Task<HandledEvents> DeleteAsync(DatabaseTransaction transaction, string version) =>
        HandledEvents.Sum(await transaction.ReadAsync(
            Delete(transaction, "WHERE version = @version"), Handled, ("version", version)).ConfigureAwait(false));

    // An update to the same values also locks the row. So a row that was only checked cannot change before the transaction ends.
    private static async Task UpdateAsync(DatabaseTransaction transaction, OffsetRow row, SliceOffset to, long events) =>
        row.Check(await transaction.ExecutePreparedAsync(
            $"""
            UPDATE {Offset} SET last_slice = @to_last, ordering = @ordering, timestamp = @timestamp, events = events + @events,
                moved_at = CASE WHEN ordering = @ordering THEN moved_at ELSE {transaction.Dialect.Now} END
            {OffsetRow.Where}
            """,
            [("to_last", to.Slices.Last), ("ordering", to.Ordering), ("timestamp", to.Timestamp), ("events", events), .. row.Parameters])
            .ConfigureAwait(false));

    private static async Task<HandledEvents> DeleteAsync(DatabaseTransaction transaction, OffsetRow row)
    {
        var deleted = await transaction.ReadAsync(
            Delete(transaction, OffsetRow.Where), Handled, row.Parameters).ConfigureAwait(false);
        row.Check(deleted.Count);
        return deleted[0];
    }

    private static string Delete(DatabaseTransaction transaction, string where) =>
        $"DELETE FROM {Offset} {transaction.Dialect.Output("deleted", "events", "unhandled")} {where} {transaction.Dialect.Returning("events", "unhandled")}";

    internal static Task CountAsync(
        DatabaseTransaction transaction, string version, int firstSlice, HandledEvents more) => transaction.ExecuteAsync(
            $"UPDATE {Offset} SET events = events + @events, unhandled = unhandled + @unhandled WHERE version = @version AND first_slice = @first",
            ("events", more.Events), ("unhandled", more.Unhandled), ("version", version), ("first", firstSlice));

    private static HandledEvents Handled(DbDataReader row) => new(row.GetInt64(0), row.GetInt64(1));

    private static SliceOffset Row(DbDataReader row) => new(new(row.GetInt32(0), row.GetInt32(1)), row.GetInt64(2), row.GetInt64(3));
}

internal readonly record struct OffsetRow(string Version, long Epoch, SliceOffset Known)
{
    internal const string Where =
        "WHERE version = @version AND first_slice = @first AND last_slice = @last AND ordering = @known AND epoch = @epoch";

    internal (string Name, object? Value)[] Parameters =>
    [
        ("version", Version), ("first", Known.Slices.First), ("last", Known.Slices.Last), ("known", Known.Ordering), ("epoch", Epoch),
    ];

    internal void Check(int touched)
    {
        if (touched != 1)
        {
            throw new FencedException(FormattableString.Invariant(
                $"'{Version}' is not at {Known.Ordering} in slices {Known.Slices.First}-{Known.Slices.Last} of epoch {Epoch} any more."));
        }
    }
}

/// <summary>How far a lane is in some of its slices. <c>Owner</c> is null if no process runs it.</summary>
internal sealed record LaneOffset(SliceOffset Offset, int Lane, string? Owner, LaneState State, string? Error)
{
    internal string Behind(long ordering) => FormattableString.Invariant(
        $"Lane {Lane} has handled the journal up to ordering {Offset.Ordering} of {ordering}; ")
        + (Owner is null ? "no process runs it." : $"it is {State} in {Owner}{(Error is null ? "" : $" ({Error})")}.");
}

/// <summary>Events that were handled or stored as dead letters, and those of them that the handler did nothing with.</summary>
internal readonly record struct HandledEvents(long Events, long Unhandled)
{
    internal static HandledEvents Sum(IEnumerable<HandledEvents> rows) => rows.Aggregate(default(HandledEvents), (sum, row) => sum + row);

    public static HandledEvents operator +(HandledEvents one, HandledEvents other) => new(one.Events + other.Events, one.Unhandled + other.Unhandled);
}

/// <summary>Another process has moved the offsets, laid the lanes out anew or reset them. The caller wrote nothing, and has to read the state again.</summary>
internal class FencedException(string message) : Exception(message);
