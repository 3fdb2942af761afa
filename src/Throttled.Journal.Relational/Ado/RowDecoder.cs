using System.Data.Common;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Relational;

/// <summary>
/// Decodes the columns of <see cref="JournalSql.RowColumns"/> and <see cref="JournalSql.KeyColumns"/> that have the same types on every server.
/// </summary>
internal static class RowDecoder
{
    internal static JournalKey Key(DbDataReader row) => new(row.GetInt64(0), row.GetString(1), row.GetInt64(2));

    /// <param name="row">The reader, positioned on the row.</param>
    /// <param name="first">The index of the first of these columns in the row.</param>
    internal static bool IsDeleted(DbDataReader row, int first) => row.GetBoolean(first + 1);

    /// <param name="row">The reader, positioned on the row.</param>
    /// <param name="first">The index of the first of these columns in the row.</param>
    internal static long SequenceNumber(DbDataReader row, int first) => row.GetInt64(first + 3);
}
