using System.Data.Common;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Relational;

/// <summary>
/// Decodes the rows of one statement: the columns of <see cref="JournalSql.RowColumns"/> and of <see cref="JournalSql.KeyColumns"/>. A text
/// that consecutive rows share is created once.
/// </summary>
/// <param name="tables">The tables of the rows.</param>
/// <param name="dialect">Reads the texts.</param>
/// <param name="leavesOut">Whether payloads above a limit are omitted. Their rows have the length instead.</param>
internal sealed class RowDecoder(JournalTables tables, AdoDialect dialect, bool leavesOut)
{
    private readonly bool _csv = tables.TagMode == TagMode.Csv;
    private Func<DbDataReader, int, string>? _ids;
    private Func<DbDataReader, int, string>? _manifests;
    private Func<DbDataReader, int, string>? _tags;

    /// <summary>
    /// Reads a row's key. A key that cannot be read must not stop the tail for all queries. A missing sequence number counts as 0, below all
    /// others: no page by persistence id has such a row, so no query must wait for it or end at it. A missing id belongs to no query.
    /// </summary>
    internal JournalKey Key(DbDataReader row) =>
        new(row.GetInt64(0), row.IsDBNull(1) ? "" : PersistenceId(row, 1), row.IsDBNull(2) ? 0 : row.GetInt64(2));

    /// <param name="row">The reader, positioned on the row.</param>
    /// <param name="first">The index of the first of these columns in the row.</param>
    internal static bool IsDeleted(DbDataReader row, int first) => row.GetBoolean(first + 1);

    /// <param name="row">The reader, positioned on the row.</param>
    /// <param name="first">The index of the first of these columns in the row.</param>
    internal static long SequenceNumber(DbDataReader row, int first) => row.GetInt64(first + 3);

    /// <param name="row">The reader, positioned on the row.</param>
    /// <param name="first">The index of the first of these columns in the row.</param>
    /// <param name="ordering">The ordering, which the caller has read: in some drivers, going back in a row costs a new search.</param>
    /// <param name="persistenceId">The persistence id if it is known; null reads it.</param>
    internal JournalEvent Event(DbDataReader row, int first, long ordering, string? persistenceId = null) => new()
    {
        Ordering = ordering,
        PersistenceId = persistenceId ?? PersistenceId(row, first + 2),
        SequenceNumber = SequenceNumber(row, first),
        Timestamp = row.GetInt64(first + 4),
        Payload = Payload(row, first + 5, leftOut: first + LeftOut(8)),
        SerializerId = row.IsDBNull(first + 6) ? null : row.GetInt32(first + 6),
        Manifest = row.IsDBNull(first + 7) ? "" : Manifest(row, first + 7),
        Tags = _csv ? Tags(row, first + 8) : [],
        OmittedPayloadBytes = Omitted(row, first + 5, leftOut: first + LeftOut(8)),
    };

    /// <summary>Reads a row of <see cref="JournalSql.TypedColumns"/>.</summary>
    /// <param name="row">The reader, positioned on the row.</param>
    /// <param name="first">The index of the sequence number in the row.</param>
    /// <param name="ordering">The ordering.</param>
    /// <param name="persistenceId">The persistence id; null reads it from the column before the sequence number.</param>
    /// <param name="serializerId">The serializer's id; null if the row has none.</param>
    /// <param name="manifest">The manifest.</param>
    internal JournalEvent Typed(DbDataReader row, int first, long ordering, string? persistenceId, int? serializerId, string manifest) => new()
    {
        Ordering = ordering,
        PersistenceId = persistenceId ?? PersistenceId(row, first - 1),
        SequenceNumber = row.GetInt64(first),
        Timestamp = row.GetInt64(first + 1),
        Payload = Payload(row, first + 2, leftOut: first + LeftOut(3)),
        SerializerId = serializerId,
        Manifest = manifest,
        Tags = _csv ? Tags(row, first + 3) : [],
        OmittedPayloadBytes = Omitted(row, first + 2, leftOut: first + LeftOut(3)),
    };

    internal IReadOnlyList<string> Tags(DbDataReader row, int column) =>
        row.IsDBNull(column) ? [] : CsvTags.Parse((_tags ??= dialect.NewText())(row, column), tables.TagSeparator);

    private string PersistenceId(DbDataReader row, int column) => (_ids ??= dialect.NewText())(row, column);

    private string Manifest(DbDataReader row, int column) => (_manifests ??= dialect.NewText())(row, column);

    private ReadOnlyMemory<byte> Payload(DbDataReader row, int column, int leftOut) =>
        IsLeftOut(row, column, leftOut) ? default : row.GetFieldValue<byte[]>(column);

    private int Omitted(DbDataReader row, int payload, int leftOut) => IsLeftOut(row, payload, leftOut) ? row.GetInt32(leftOut) : 0;

    // A payload that is NULL in the table is not omitted: reading it fails with the cause.
    private bool IsLeftOut(DbDataReader row, int payload, int leftOut) => leavesOut && row.IsDBNull(payload) && !row.IsDBNull(leftOut);

    // The length stands after the tags, if the row has them.
    private int LeftOut(int tags) => _csv ? tags + 1 : tags;
}
