using System.Data.Common;
using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>Decodes rows of <see cref="JournalSql.RowColumns"/>. Thread-safe.</summary>
/// <param name="tables">The tables of the rows.</param>
/// <param name="leavesOut">Whether payloads above a limit are omitted. Their rows have the length instead.</param>
internal sealed class PostgreSqlRowDecoder(JournalTables tables, bool leavesOut)
{
    private readonly bool _csv = tables.TagMode == TagMode.Csv;

    /// <param name="row">The reader, on the row.</param>
    /// <param name="first">The index of the first column.</param>
    /// <param name="texts">Texts of earlier rows.</param>
    /// <param name="known">The columns that were read already; null reads them.</param>
    internal JournalEvent Event(DbDataReader row, int first, RowTexts texts, KnownColumns? known = null) => new()
    {
        Ordering = known?.Ordering ?? row.GetInt64(first),
        PersistenceId = known?.PersistenceId ?? texts.PersistenceId(row, first + 2),
        SequenceNumber = RowDecoder.SequenceNumber(row, first),
        Timestamp = row.GetInt64(first + 4),
        Payload = IsLeftOut(row, first) ? default : row.GetFieldValue<byte[]>(first + 5),
        SerializerId = row.IsDBNull(first + 6) ? null : row.GetInt32(first + 6),
        Manifest = row.IsDBNull(first + 7) ? "" : texts.Manifest(row, first + 7),
        Tags = _csv ? Tags(row, first + 8) : [],
        OmittedPayloadBytes = IsLeftOut(row, first) ? row.GetInt32(LeftOut(first)) : 0,
    };

    internal IReadOnlyList<string> Tags(DbDataReader row, int column) =>
        row.IsDBNull(column) ? [] : CsvTags.Parse(row.GetString(column), tables.TagSeparator);

    // A payload that is NULL in the table is not omitted: reading it fails with the cause.
    private bool IsLeftOut(DbDataReader row, int first) => leavesOut && row.IsDBNull(first + 5) && !row.IsDBNull(LeftOut(first));

    private int LeftOut(int first) => first + (_csv ? 9 : 8);

    /// <summary>Columns of a row that the caller has read already.</summary>
    /// <param name="Ordering">The ordering.</param>
    /// <param name="PersistenceId">The persistence id; null if it was not read.</param>
    internal readonly record struct KnownColumns(long Ordering, string? PersistenceId);
}
