using System.Data.Common;
using Throttled.Journal;
using Throttled.Projections.Positions;

namespace Throttled.Projections.Store;

/// <summary>
/// The offsets. Each row carries the epoch of its target, so that a lane locks nothing but its own rows: who lays lanes out anew or resets
/// them rewrites these rows under the next epoch, after the lane or before it, when it finds none.
/// </summary>
internal static class PositionTable
{
    private const string Position = StoreTables.Position;

    /// <summary>The rows of some slices, in order, each with its epoch.</summary>
    internal static Task<List<(StoredPosition Position, long Epoch)>> ReadAsync(
        StoreTransaction transaction, string target, SliceRange slices, CancellationToken cancellation) => transaction.ReadAsync(
            $"""
            SELECT first_slice, last_slice, ordering, timestamp, epoch FROM {Position}
            WHERE version = @version AND first_slice <= @last AND last_slice >= @first ORDER BY first_slice
            """,
            row => (Row(row), row.GetInt64(4)), cancellation, ("version", target), ("first", slices.First), ("last", slices.Last));

    /// <summary>All rows of a version, in order, held to the end of the transaction: its lanes have committed, or will be fenced. Who holds them is alone to change the version.</summary>
    internal static async Task<IReadOnlyList<StoredPosition>> LockAsync(StoreTransaction transaction, string target, CancellationToken cancellation)
    {
        while (true)
        {
            var held = await AllAsync(transaction, target, transaction.Spelling.ForUpdate, cancellation).ConfigureAwait(false);
            // Who held them before may have put others in their place, which are not among what was waited for.
            var there = await AllAsync(transaction, target, "", cancellation).ConfigureAwait(false);
            if (there.SequenceEqual(held))
                return held;
        }
    }

    private static Task<List<StoredPosition>> AllAsync(StoreTransaction transaction, string target, string holding, CancellationToken cancellation) =>
        transaction.ReadAsync(
            $"SELECT first_slice, last_slice, ordering, timestamp FROM {Position} WHERE version = @version ORDER BY first_slice" + holding,
            Row, cancellation, ("version", target));

    /// <summary>Whether rows follow each other without holes from the first slice to the last.</summary>
    internal static bool Cover(IReadOnlyList<StoredPosition> rows, SliceRange slices)
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
    /// Rows that are merged away are deleted, the others are updated, and none is inserted: who waits for them to lay the lanes out anew or to reset
    /// them sees what an update made of a row, but no row that was not there when he began to wait.
    /// </summary>
    /// <exception cref="ArgumentException">It does more than merge neighbours.</exception>
    /// <exception cref="FencedException">A row is not there as it should be, or has another epoch.</exception>
    internal static async Task MoveAsync(
        StoreTransaction transaction, string target, long epoch, PositionMove move, CancellationToken cancellation)
    {
        // https://www.postgresql.org/docs/current/transaction-iso.html#XACT-READ-COMMITTED
        var (next, merged) = (0, default(HandledEvents));
        foreach (var from in move.From)
        {
            var row = new PositionRow(target, epoch, from);
            if (next < move.To.Count && move.To[next].Slices.First == from.Slices.First)
                await UpdateAsync(transaction, row, move.To[next], next++ == 0 ? move.Events : 0, cancellation).ConfigureAwait(false);
            else
                merged += await DeleteAsync(transaction, row, cancellation).ConfigureAwait(false);
        }
        if (next < move.To.Count)
            throw new ArgumentException("A move merges rows and divides none.", nameof(move));
        if (merged != default)
            await CountAsync(transaction, target, move.To[0].Slices.First, merged, cancellation).ConfigureAwait(false);
    }

    internal static Task InsertAsync(
        StoreTransaction transaction, string target, long epoch, IReadOnlyList<StoredPosition> rows, HandledEvents handled, CancellationToken cancellation) =>
        transaction.ExecuteForAsync(
            new(
                ("first", rows.Select(row => row.Slices.First).ToArray()),
                ("last", rows.Select(row => row.Slices.Last).ToArray()),
                ("ordering", rows.Select(row => row.Ordering).ToArray()),
                ("timestamp", rows.Select(row => row.Timestamp).ToArray()),
                // How many were handled is the version's; which of its rows tells of them does not matter.
                ("events", rows.Select((_, index) => index == 0 ? handled.Events : 0L).ToArray()),
                ("unhandled", rows.Select((_, index) => index == 0 ? handled.Unhandled : 0L).ToArray())),
            $"""
            INSERT INTO {Position} (version, first_slice, last_slice, ordering, timestamp, epoch, events, unhandled, moved_at)
            SELECT @version, r.first, r.last, r.ordering, r.timestamp, @epoch, r.events, r.unhandled, {transaction.Spelling.Now}
            FROM {transaction.Spelling.Rows(["first", "last", "ordering", "timestamp", "events", "unhandled"])}
            """,
            cancellation, ("version", target), ("epoch", epoch));

    /// <summary>Fences the lanes of a version, and moves nothing.</summary>
    internal static Task SetEpochAsync(StoreTransaction transaction, string target, long epoch, CancellationToken cancellation) =>
        transaction.ExecuteAsync($"UPDATE {Position} SET epoch = @epoch WHERE version = @version", cancellation, ("epoch", epoch), ("version", target));

    /// <returns>How many events its rows told of.</returns>
    internal static async Task<HandledEvents> DeleteAsync(StoreTransaction transaction, string target, CancellationToken cancellation) =>
        HandledEvents.Sum(await transaction.ReadAsync(
            $"DELETE FROM {Position} WHERE version = @version RETURNING events, unhandled", Handled, cancellation, ("version", target)).ConfigureAwait(false));

    // An update to the same values locks the row as well: what is only made sure of stays so until the end.
    private static async Task UpdateAsync(
        StoreTransaction transaction, PositionRow row, StoredPosition to, long events, CancellationToken cancellation) =>
        row.Check(await transaction.ExecutePreparedAsync(
            $"""
            UPDATE {Position} SET last_slice = @to_last, ordering = @ordering, timestamp = @timestamp, events = events + @events,
                moved_at = CASE WHEN ordering = @ordering THEN moved_at ELSE {transaction.Spelling.Now} END
            {PositionRow.Where}
            """,
            cancellation,
            [("to_last", to.Slices.Last), ("ordering", to.Ordering), ("timestamp", to.Timestamp), ("events", events), .. row.Parameters])
            .ConfigureAwait(false));

    /// <returns>How many events it told of.</returns>
    private static async Task<HandledEvents> DeleteAsync(StoreTransaction transaction, PositionRow row, CancellationToken cancellation)
    {
        var deleted = await transaction.ReadAsync(
            $"DELETE FROM {Position} {PositionRow.Where} RETURNING events, unhandled", Handled, cancellation, row.Parameters)
            .ConfigureAwait(false);
        row.Check(deleted.Count);
        return deleted[0];
    }

    /// <summary>Adds to what the row of a slice tells of.</summary>
    internal static Task CountAsync(
        StoreTransaction transaction, string target, int firstSlice, HandledEvents more, CancellationToken cancellation) => transaction.ExecuteAsync(
            $"UPDATE {Position} SET events = events + @events, unhandled = unhandled + @unhandled WHERE version = @version AND first_slice = @first",
            cancellation, ("events", more.Events), ("unhandled", more.Unhandled), ("version", target), ("first", firstSlice));

    private static HandledEvents Handled(DbDataReader row) => new(row.GetInt64(0), row.GetInt64(1));

    private static StoredPosition Row(DbDataReader row) =>
        new(new(row.GetInt32(0), row.GetInt32(1)), row.GetInt64(2), row.GetInt64(3));
}
