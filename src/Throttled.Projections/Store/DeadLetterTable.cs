using System.Data.Common;
using System.Text.Json;
using Throttled.Journal;
using Throttled.Projections.Failures;
using Throttled.Projections.Positions;

namespace Throttled.Projections.Store;

/// <summary>Events that failed, and those that queue behind them.</summary>
internal static class DeadLetterTable
{
    private const string DeadLetters = StoreTables.DeadLetter;
    private const string Columns = "persistence_id, sequence_number, ordering, timestamp, serializer_id, manifest, payload, omitted_bytes, tags, error, attempts";

    private static readonly string[] ParkedColumns =
        ["id", "number", "ordering", "slice", "timestamp", "serializer", "manifest", "payload", "omitted", "tags", "error", "attempts"];

    /// <summary>The ids of some slices that have dead letters, and how many.</summary>
    internal static Task<List<(string Id, int Count)>> CountAsync(
        StoreTransaction transaction, string target, SliceRange slices, CancellationToken cancellation) => transaction.ReadAsync(
            $"""
            SELECT persistence_id, count(*) FROM {DeadLetters}
            WHERE version = @version AND slice BETWEEN @first AND @last GROUP BY persistence_id
            """,
            row => (row.GetString(0), (int)row.GetInt64(1)), cancellation, ("version", target), ("first", slices.First), ("last", slices.Last));

    /// <summary>Those of an id, lowest ordering first.</summary>
    internal static Task<List<DeadLetterRow>> ReadAsync(
        StoreTransaction transaction, string target, string persistenceId, int most, CancellationToken cancellation) => transaction.ReadAsync(
            $"""
            SELECT {Columns} FROM {DeadLetters} WHERE version = @version AND persistence_id = @id ORDER BY ordering LIMIT @limit
            """,
            Row, cancellation, ("version", target), ("id", persistenceId), ("limit", most));

    /// <summary>Those of one event of an id, without their payloads.</summary>
    internal static async Task<LettersFound> FindAsync(
        StoreTransaction transaction, string target, string persistenceId, long sequenceNumber, CancellationToken cancellation)
    {
        const string ofId = $"FROM {DeadLetters} WHERE version = @version AND persistence_id = @id AND sequence_number";
        var orderings = await transaction.ReadAsync(
            $"SELECT ordering {ofId} = @number ORDER BY ordering",
            row => row.GetInt64(0), cancellation, ("version", target), ("id", persistenceId), ("number", sequenceNumber)).ConfigureAwait(false);
        var others = await transaction.ReadAsync(
            $"SELECT ordering {ofId} <> @number LIMIT 1",
            row => row.GetInt64(0), cancellation, ("version", target), ("id", persistenceId), ("number", sequenceNumber)).ConfigureAwait(false);
        return new(orderings, others.Count > 0);
    }

    /// <summary>Those of a version, or of one of its ids, lowest ordering first.</summary>
    internal static Task<List<DeadLetter>> ListAsync(
        StoreTransaction transaction, string target, string? persistenceId, int most, CancellationToken cancellation) => transaction.ReadAsync(
            $"""
            SELECT {Columns}, dead_lettered_at, tried_at FROM {DeadLetters}
            WHERE version = @version{(persistenceId is null ? "" : " AND persistence_id = @id")} ORDER BY ordering LIMIT @limit
            """,
            Letter,
            cancellation, [("version", target), ("limit", most), .. OfId(persistenceId)]);

    /// <summary>The ids that have any.</summary>
    internal static Task<List<string>> IdsAsync(StoreTransaction transaction, string target, CancellationToken cancellation) =>
        transaction.ReadAsync(
            $"SELECT DISTINCT persistence_id FROM {DeadLetters} WHERE version = @version ORDER BY persistence_id",
            row => row.GetString(0), cancellation, ("version", target));

    /// <summary>The sequence numbers of those of an id, in order.</summary>
    internal static Task<List<long>> NumbersAsync(
        StoreTransaction transaction, string target, string persistenceId, CancellationToken cancellation) => transaction.ReadAsync(
            $"SELECT sequence_number FROM {DeadLetters} WHERE version = @version AND persistence_id = @id ORDER BY ordering",
            row => row.GetInt64(0), cancellation, ("version", target), ("id", persistenceId));

    /// <summary>Keeps them; those that are there already are replaced, but for when they were stored first.</summary>
    /// <exception cref="FencedException">One is to queue behind a dead letter of its id, and there is none any more.</exception>
    internal static async Task ParkAsync(
        StoreTransaction transaction, string target, IReadOnlyList<DeadLetterRow> letters, CancellationToken cancellation)
    {
        await CheckHeadsAsync(transaction, target, letters, cancellation).ConfigureAwait(false);
        await transaction.ExecuteForAsync(
            RowsOf(letters),
            $"""
            INSERT INTO {DeadLetters} (version, persistence_id, sequence_number, ordering, slice, timestamp, serializer_id, manifest, payload, omitted_bytes, tags,
                error, attempts, dead_lettered_at, tried_at)
            SELECT @version, r.id, r.number, r.ordering, r.slice, r.timestamp, r.serializer, r.manifest, r.payload, r.omitted, r.tags,
                r.error, r.attempts, {transaction.Spelling.Now}, CASE WHEN r.attempts > 0 THEN {transaction.Spelling.Now} END
            FROM {transaction.Spelling.Rows(ParkedColumns)} WHERE true
            ON CONFLICT (version, persistence_id, ordering) DO UPDATE SET sequence_number = excluded.sequence_number, slice = excluded.slice,
                timestamp = excluded.timestamp, serializer_id = excluded.serializer_id, manifest = excluded.manifest,
                payload = excluded.payload, omitted_bytes = excluded.omitted_bytes, tags = excluded.tags, error = excluded.error, attempts = excluded.attempts,
                tried_at = excluded.tried_at
            """,
            cancellation, ("version", target)).ConfigureAwait(false);
    }

    /// <exception cref="FencedException">One of them is not there.</exception>
    internal static async Task UnparkAsync(
        StoreTransaction transaction, string target, string persistenceId, IReadOnlyList<long> orderings, CancellationToken cancellation)
    {
        var deleted = await transaction.ExecuteForAsync(
            new(("ordering", orderings.ToArray())),
            $"""
            DELETE FROM {DeadLetters} WHERE version = @version AND persistence_id = @id
                AND ordering IN (SELECT r.ordering FROM {transaction.Spelling.Rows(["ordering"])})
            """,
            cancellation, ("version", target), ("id", persistenceId)).ConfigureAwait(false);
        if (deleted != orderings.Count)
        {
            throw new FencedException(FormattableString.Invariant(
                $"Of {orderings.Count} dead letters of '{persistenceId}' in '{target}', only {deleted} are still there."));
        }
    }

    /// <summary>Removes those above an ordering.</summary>
    internal static Task DeleteAboveAsync(StoreTransaction transaction, string target, StoredPosition place, CancellationToken cancellation) =>
        transaction.ExecuteAsync(
            $"DELETE FROM {DeadLetters} WHERE version = @version AND slice BETWEEN @first AND @last AND ordering > @ordering",
            cancellation, ("version", target), ("first", place.Slices.First), ("last", place.Slices.Last), ("ordering", place.Ordering));

    internal static Task DeleteAsync(StoreTransaction transaction, string target, CancellationToken cancellation) =>
        transaction.ExecuteAsync($"DELETE FROM {DeadLetters} WHERE version = @version", cancellation, ("version", target));

    // Whoever had the lane meanwhile may have retried or discarded what they would queue behind; that moves no offset.
    private static async Task CheckHeadsAsync(
        StoreTransaction transaction, string target, IReadOnlyList<DeadLetterRow> letters, CancellationToken cancellation)
    {
        string[] ids = [.. Ids(letters, letter => letter.Error is null).Except(Ids(letters, letter => letter.Error is not null), StringComparer.Ordinal)];
        var heads = await transaction.ReadForAsync(
            new(("id", ids)),
            $"""
            SELECT r.id FROM {transaction.Spelling.Rows(["id"])}
            WHERE EXISTS (SELECT 1 FROM {DeadLetters} AS d WHERE d.version = @version AND d.persistence_id = r.id)
            """,
            row => row.GetString(0), cancellation, ("version", target)).ConfigureAwait(false);
        if (heads.Count != ids.Length)
            throw new FencedException($"'{target}' has no dead letter any more of an id whose events were to queue behind one.");
    }

    private static IEnumerable<string> Ids(IEnumerable<DeadLetterRow> letters, Func<DeadLetterRow, bool> isMeant) =>
        letters.Where(isMeant).Select(letter => letter.Stored.PersistenceId);

    private static (string Name, object? Value)[] OfId(string? persistenceId) => persistenceId is null ? [] : [("id", persistenceId)];

    private static DeadLetter Letter(DbDataReader row)
    {
        var letter = Row(row);
        return new(letter.Stored, letter.Error, letter.Attempts, row.TimeOrNull(11)!.Value, row.TimeOrNull(12));
    }

    private static SqlRows RowsOf(IReadOnlyList<DeadLetterRow> letters) => new(
        ("id", Column(letters, letter => letter.Stored.PersistenceId)),
        ("number", Column(letters, letter => letter.Stored.SequenceNumber)),
        ("ordering", Column(letters, letter => letter.Stored.Ordering)),
        ("slice", Column(letters, letter => JournalSlices.Of(letter.Stored.PersistenceId))),
        ("timestamp", Column(letters, letter => letter.Stored.Timestamp)),
        ("serializer", Column(letters, letter => letter.Stored.SerializerId)),
        ("manifest", Column(letters, letter => letter.Stored.Manifest)),
        ("payload", Column(letters, letter => letter.Stored.Payload.ToArray())),
        ("omitted", Column(letters, letter => letter.Stored.OmittedPayloadBytes)),
        ("tags", Column(letters, letter => JsonSerializer.Serialize(letter.Stored.Tags))),
        ("error", Column(letters, letter => StoredText.Of(letter.Error))),
        ("attempts", Column(letters, letter => letter.Attempts)));

    private static T[] Column<T>(IReadOnlyList<DeadLetterRow> letters, Func<DeadLetterRow, T> value) => [.. letters.Select(value)];

    private static DeadLetterRow Row(DbDataReader row) => new(
        new JournalEvent
        {
            PersistenceId = row.GetString(0),
            SequenceNumber = row.GetInt64(1),
            Ordering = row.GetInt64(2),
            Timestamp = row.GetInt64(3),
            SerializerId = row.IntOrNull(4),
            Manifest = row.GetString(5),
            Payload = (byte[])row.GetValue(6),
            // Without it, a decoder would take what was not read for an empty payload.
            OmittedPayloadBytes = row.GetInt32(7),
            Tags = JsonSerializer.Deserialize<string[]>(row.GetString(8))!,
        },
        row.TextOrNull(9),
        row.GetInt32(10));
}
