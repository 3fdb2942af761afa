using System.Data.Common;
using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer;

/// <summary>Decodes rows of <see cref="JournalSql.RowColumns"/> and of keys. Thread-safe.</summary>
/// <param name="tables">The tables of the rows.</param>
/// <param name="leavesOut">Whether payloads above a limit are omitted. Their rows have the length instead.</param>
internal sealed class SqlServerRowDecoder(JournalTables tables, bool leavesOut)
{
    private readonly bool _csv = tables.TagMode == TagMode.Csv;

    internal static string PersistenceId(DbDataReader row, int first) => row.GetString(first + 2);

    /// <param name="row">The reader, on the row.</param>
    /// <param name="first">The index of the first column.</param>
    /// <param name="persistenceId">The persistence id, which the caller has read already.</param>
    /// <param name="manifests">Manifests of earlier rows.</param>
    internal JournalEvent Event(DbDataReader row, int first, string persistenceId, RepeatedText manifests) => new()
    {
        Ordering = row.GetInt64(first),
        PersistenceId = persistenceId,
        SequenceNumber = RowDecoder.SequenceNumber(row, first),
        Timestamp = row.GetInt64(first + 4),
        Payload = IsLeftOut(row, first) ? default : row.GetFieldValue<byte[]>(first + 5),
        SerializerId = row.IsDBNull(first + 6) ? null : row.GetInt32(first + 6),
        Manifest = row.IsDBNull(first + 7) ? "" : manifests.Of(row.GetString(first + 7)),
        Tags = _csv ? Tags(row, first + 8) : [],
        OmittedPayloadBytes = IsLeftOut(row, first) ? row.GetInt32(LeftOut(first)) : 0,
    };

    internal IReadOnlyList<string> Tags(DbDataReader row, int column) =>
        row.IsDBNull(column) ? [] : CsvTags.Parse(row.GetString(column), tables.TagSeparator);

    // A payload that is NULL in the table is not omitted: reading it fails with the cause.
    private bool IsLeftOut(DbDataReader row, int first) => leavesOut && row.IsDBNull(first + 5) && !row.IsDBNull(LeftOut(first));

    private int LeftOut(int first) => first + (_csv ? 9 : 8);
}
