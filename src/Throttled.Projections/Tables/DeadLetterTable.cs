using System.Data.Common;
using System.Text.Json;
using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;

namespace Throttled.Projections.Tables;

/// <summary>Events that failed, and later events that queue behind them.</summary>
internal static class DeadLetterTable
{
    private const string DeadLetters = Schema.DeadLetter;
    private const string Columns = "persistence_id, sequence_number, ordering, timestamp, serializer_id, manifest, payload, omitted_bytes, tags, error, attempts, dead_lettered_at, tried_at";

    private const int BehindColumn = 13;

    internal static Task<List<(string Id, int Count)>> CountAsync(
        DatabaseTransaction transaction, string version, SliceRange slices) => transaction.ReadAsync(
            $"""
            SELECT persistence_id, {transaction.Dialect.Count} FROM {DeadLetters}
            WHERE version = @version AND slice BETWEEN @first AND @last GROUP BY {transaction.Dialect.Exact("persistence_id")}
            """,
            row => (row.GetString(0), (int)row.GetInt64(1)), ("version", version), ("first", slices.First), ("last", slices.Last));

    internal static async Task<bool> AnyAsync(DatabaseTransaction transaction, string version) =>
        (await transaction.ReadAsync(
            $"SELECT 1 WHERE EXISTS (SELECT 1 FROM {DeadLetters} WHERE version = @version)", _ => true, ("version", version)).ConfigureAwait(false)).Count > 0;

    /// <summary>Of a version or of one persistence id, lowest ordering first.</summary>
    internal static Task<List<DeadLetter>> ReadAsync(
        DatabaseTransaction transaction, string version, string? persistenceId, int limit) => transaction.ReadAsync(
            $"""
            SELECT {Columns} FROM {DeadLetters}
            WHERE version = @version{(persistenceId is null ? "" : $" AND {OfId(transaction.Dialect)}")} ORDER BY ordering {transaction.Dialect.Limit("@limit")}
            """,
            Row, [("version", version), ("limit", limit), .. IdParameter(persistenceId)]);

    /// <summary>The first dead letter of each persistence id, and the number of those behind it; lowest ordering first.</summary>
    internal static Task<List<FirstDeadLetter>> FirstOfIdsAsync(DatabaseTransaction transaction, string version, int limit) => transaction.ReadAsync(
        $"""
        SELECT {Columns}, behind FROM {DeadLetters}
        JOIN (SELECT persistence_id AS id, min(ordering) AS lowest, {transaction.Dialect.Count} - 1 AS behind FROM {DeadLetters}
            WHERE version = @version GROUP BY {transaction.Dialect.Exact("persistence_id")} ORDER BY lowest {transaction.Dialect.Limit("@limit")}) AS q ON {transaction.Dialect.Same("persistence_id", "id")} AND ordering = lowest
        WHERE version = @version ORDER BY ordering
        """,
        row => new FirstDeadLetter(Row(row), row.GetInt64(BehindColumn)), ("version", version), ("limit", limit));

    internal static async Task<DeadLettersFound> FindAsync(DatabaseTransaction transaction, string version, string persistenceId, long sequenceNumber)
    {
        var ofId = $"FROM {DeadLetters} WHERE version = @version AND {OfId(transaction.Dialect)} AND sequence_number";
        var orderings = await transaction.ReadAsync(
            $"SELECT ordering {ofId} = @number ORDER BY ordering",
            row => row.GetInt64(0), ("version", version), ("id", persistenceId), ("number", sequenceNumber)).ConfigureAwait(false);
        var others = await transaction.ReadAsync(
            $"SELECT 1 WHERE EXISTS (SELECT 1 {ofId} <> @number)",
            _ => true, ("version", version), ("id", persistenceId), ("number", sequenceNumber)).ConfigureAwait(false);
        return new(orderings, others.Count > 0);
    }

    internal static Task<List<string>> IdsAsync(DatabaseTransaction transaction, string version) =>
        transaction.ReadAsync(
            $"SELECT persistence_id FROM {DeadLetters} WHERE version = @version GROUP BY {transaction.Dialect.Exact("persistence_id")} ORDER BY persistence_id",
            row => row.GetString(0), ("version", version));

    /// <summary>All sequence numbers of a persistence id, lowest ordering first, without the events.</summary>
    internal static Task<List<long>> NumbersAsync(
        DatabaseTransaction transaction, string version, string persistenceId) => transaction.ReadAsync(
            $"SELECT sequence_number FROM {DeadLetters} WHERE version = @version AND {OfId(transaction.Dialect)} ORDER BY ordering",
            row => row.GetInt64(0), ("version", version), ("id", persistenceId));

    /// <summary>The dead letter with a sequence number; without one, the first event that failed, or else the first of the id. Null if there is none.</summary>
    internal static async Task<DeadLetter?> OneAsync(DatabaseTransaction transaction, string version, string persistenceId, long? sequenceNumber) =>
        (await transaction.ReadAsync(
            $"""
            SELECT {Columns} FROM {DeadLetters}
            WHERE version = @version AND {OfId(transaction.Dialect)}{(sequenceNumber is null ? "" : " AND sequence_number = @number")}
            ORDER BY CASE WHEN error IS NULL THEN 1 ELSE 0 END, ordering {transaction.Dialect.Limit("1")}
            """,
            Row, [("version", version), .. IdParameter(persistenceId), .. sequenceNumber is { } number ? [("number", (object?)number)] : Array.Empty<(string, object?)>()])
            .ConfigureAwait(false)).FirstOrDefault();

    /// <summary>One that exists already is replaced, but keeps the time when it was first stored.</summary>
    internal static async Task StoreAsync(DatabaseTransaction transaction, string version, IReadOnlyList<DeadLetter> deadLetters)
    {
        await CheckQueuesAsync(transaction, version, deadLetters).ConfigureAwait(false);
        var (dialect, rows) = (transaction.Dialect, RowsOf(deadLetters));
        var stored = $"{DeadLetters}.version = @version AND {dialect.Same($"{DeadLetters}.persistence_id", "r.id")} AND {DeadLetters}.ordering = r.ordering";
        var triedAt = $"CASE WHEN r.attempts > 0 THEN {dialect.Now} END";
        // Nobody else writes these rows: the lane has locked its offset.
        await transaction.ExecuteForAsync(
            rows,
            $"""
            UPDATE {DeadLetters} SET sequence_number = r.number, slice = r.slice, timestamp = r.timestamp, serializer_id = r.serializer, manifest = r.manifest,
                payload = {dialect.Bytes("r.payload")}, omitted_bytes = r.omitted, tags = r.tags, error = r.error, attempts = r.attempts, tried_at = {triedAt}
            {dialect.Matching(DeadLetters, dialect.Rows(rows), stored)};
            INSERT INTO {DeadLetters} (version, persistence_id, sequence_number, ordering, slice, timestamp, serializer_id, manifest, payload, omitted_bytes, tags,
                error, attempts, dead_lettered_at, tried_at)
            SELECT @version, r.id, r.number, r.ordering, r.slice, r.timestamp, r.serializer, r.manifest, {dialect.Bytes("r.payload")}, r.omitted, r.tags,
                r.error, r.attempts, {dialect.Now}, {triedAt}
            FROM {dialect.Rows(rows)} WHERE NOT EXISTS (SELECT 1 FROM {DeadLetters} WHERE {stored}){dialect.RowByRow}
            """,
            ("version", version)).ConfigureAwait(false);
    }

    internal static async Task RemoveAsync(DatabaseTransaction transaction, string version, string persistenceId, IReadOnlyList<long> orderings)
    {
        var rows = new SqlRows(("ordering", orderings.ToArray()));
        var deleted = await transaction.ExecuteForAsync(
            rows,
            transaction.Dialect.Delete(DeadLetters, rows, $"version = @version AND {OfId(transaction.Dialect)}"),
            ("version", version), ("id", persistenceId)).ConfigureAwait(false);
        if (deleted != orderings.Count)
        {
            throw new FencedException(FormattableString.Invariant(
                $"Of {orderings.Count} dead letters of '{persistenceId}' in '{version}', only {deleted} are still there."));
        }
    }

    /// <summary>Returns their number.</summary>
    internal static Task<int> DeleteAboveAsync(DatabaseTransaction transaction, string version, SliceOffset offset) =>
        DeleteAllAsync(
            transaction, "version = @version AND slice BETWEEN @first AND @last AND ordering > @ordering",
            ("version", version), ("first", offset.Slices.First), ("last", offset.Slices.Last), ("ordering", offset.Ordering));

    internal static Task DeleteAsync(DatabaseTransaction transaction, string version) =>
        DeleteAllAsync(transaction, "version = @version", ("version", version));

    private static async Task<int> DeleteAllAsync(DatabaseTransaction transaction, string condition, params (string Name, object? Value)[] parameters)
    {
        var sql = $"{transaction.Dialect.DeleteSome(DeadLetters)} WHERE {condition}";
        var all = 0;
        while (true)
        {
            var deleted = await transaction.ExecuteAsync(sql, parameters).ConfigureAwait(false);
            all += deleted;
            if (deleted != transaction.Dialect.MostRows)
                return all;
        }
    }

    // Another owner of the lane may have retried or discarded the dead letter that these events queue behind. That moves no offset.
    private static async Task CheckQueuesAsync(DatabaseTransaction transaction, string version, IReadOnlyList<DeadLetter> deadLetters)
    {
        string[] ids = [.. Ids(deadLetters, deadLetter => deadLetter.Error is null).Except(Ids(deadLetters, deadLetter => deadLetter.Error is not null), StringComparer.Ordinal)];
        var rows = new SqlRows(("id", ids));
        var kept = await transaction.ReadForAsync(
            rows,
            $"""
            SELECT r.id FROM {transaction.Dialect.Rows(rows)}
            WHERE EXISTS (SELECT 1 FROM {DeadLetters} AS d WHERE d.version = @version AND {transaction.Dialect.Same("d.persistence_id", "r.id")}){transaction.Dialect.RowByRow}
            """,
            row => row.GetString(0), ("version", version)).ConfigureAwait(false);
        if (kept.Count != ids.Length)
            throw new FencedException($"'{version}' has lost a dead letter that events were about to queue behind.");
    }

    private static IEnumerable<string> Ids(IEnumerable<DeadLetter> deadLetters, Func<DeadLetter, bool> isMeant) =>
        deadLetters.Where(isMeant).Select(deadLetter => deadLetter.Event.PersistenceId);

    private static string OfId(ReadModelDialect dialect) => dialect.Same("persistence_id", "@id");

    private static (string Name, object? Value)[] IdParameter(string? persistenceId) => persistenceId is null ? [] : [("id", persistenceId)];

    private static SqlRows RowsOf(IReadOnlyList<DeadLetter> deadLetters) => new(
        ("id", Column(deadLetters, deadLetter => deadLetter.Event.PersistenceId)),
        ("number", Column(deadLetters, deadLetter => deadLetter.Event.SequenceNumber)),
        ("ordering", Column(deadLetters, deadLetter => deadLetter.Event.Ordering)),
        ("slice", Column(deadLetters, deadLetter => JournalSlices.Of(deadLetter.Event.PersistenceId))),
        ("timestamp", Column(deadLetters, deadLetter => deadLetter.Event.Timestamp)),
        ("serializer", Column(deadLetters, deadLetter => deadLetter.Event.SerializerId)),
        ("manifest", Column(deadLetters, deadLetter => deadLetter.Event.Manifest)),
        ("payload", Column(deadLetters, deadLetter => deadLetter.Event.Payload.ToArray())),
        ("omitted", Column(deadLetters, deadLetter => deadLetter.Event.OmittedPayloadBytes)),
        ("tags", Column(deadLetters, deadLetter => JsonSerializer.Serialize(deadLetter.Event.Tags))),
        ("error", Column(deadLetters, deadLetter => StoredText.Of(deadLetter.Error))),
        ("attempts", Column(deadLetters, deadLetter => deadLetter.Attempts)));

    private static T[] Column<T>(IReadOnlyList<DeadLetter> deadLetters, Func<DeadLetter, T> value) => [.. deadLetters.Select(value)];

    private static DeadLetter Row(DbDataReader row) => new(
        new JournalEvent
        {
            PersistenceId = row.GetString(0),
            SequenceNumber = row.GetInt64(1),
            Ordering = row.GetInt64(2),
            Timestamp = row.GetInt64(3),
            SerializerId = row.IntOrNull(4),
            Manifest = row.GetString(5),
            Payload = (byte[])row.GetValue(6),
            // Without this, a decoder would treat an omitted payload as an empty one.
            OmittedPayloadBytes = row.GetInt32(7),
            Tags = JsonSerializer.Deserialize<string[]>(row.GetString(8))!,
        },
        row.TextOrNull(9),
        row.GetInt32(10),
        row.TimeOrNull(11)!.Value,
        row.TimeOrNull(12));
}

/// <summary>The first dead letter of a persistence id, and the number of events that queue behind it.</summary>
internal sealed record FirstDeadLetter(DeadLetter DeadLetter, long Behind);

/// <summary>One dead letter of a persistence id, null if it is not there, and the sequence numbers of all of the id, lowest ordering first.</summary>
internal sealed record DeadLetterQueue(DeadLetter? One, IReadOnlyList<long> Numbers);

internal sealed record DeadLettersFound(IReadOnlyList<long> Orderings, bool HasOthers);
