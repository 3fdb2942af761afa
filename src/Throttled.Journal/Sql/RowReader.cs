using System.Data.Common;

namespace Throttled.Journal.Sql;

/// <summary>Reads the columns of <see cref="JournalStatements.RowColumns"/> from a data reader.</summary>
/// <param name="tables">Says whether tags stand in the row.</param>
/// <param name="first">The index of the first of these columns; those before it are the caller's.</param>
internal sealed class RowReader(JournalTables tables, int first = 0)
{
    private readonly bool _csv = tables.TagMode == TagMode.Csv;

    internal long Ordering(DbDataReader row) => row.GetInt64(first);

    internal bool IsDeleted(DbDataReader row) => row.GetBoolean(first + 1);

    internal string PersistenceId(DbDataReader row) => row.GetString(first + 2);

    internal long SequenceNumber(DbDataReader row) => row.GetInt64(first + 3);

    /// <param name="row">The reader, on the row.</param>
    /// <param name="persistenceId">The row's persistence id, where it is known already; null reads it.</param>
    internal JournalEvent Event(DbDataReader row, string? persistenceId = null) => new()
    {
        Ordering = Ordering(row),
        PersistenceId = persistenceId ?? PersistenceId(row),
        SequenceNumber = SequenceNumber(row),
        Timestamp = row.GetInt64(first + 4),
        Payload = row.GetFieldValue<byte[]>(first + 5),
        SerializerId = row.IsDBNull(first + 6) ? null : row.GetInt32(first + 6),
        Manifest = row.IsDBNull(first + 7) ? "" : row.GetString(first + 7),
        Tags = _csv && !row.IsDBNull(first + 8) ? CsvTags.Parse(row.GetString(first + 8), tables.TagSeparator) : [],
    };
}
