using System.Data.Common;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Relational;

/// <summary>
/// Decodes the columns of <see cref="JournalSql.RowColumns"/> and of <see cref="JournalSql.KeyColumns"/> that every server types
/// alike.
/// </summary>
internal static class RowDecoder
{
    /// <summary>The key of a row of keys.</summary>
    internal static JournalKey Key(DbDataReader row) => new(row.GetInt64(0), row.GetString(1), row.GetInt64(2));

    /// <param name="row">The reader, on the row.</param>
    /// <param name="first">The index of the first of the columns.</param>
    internal static bool IsDeleted(DbDataReader row, int first) => row.GetBoolean(first + 1);

    /// <param name="row">The reader, on the row.</param>
    /// <param name="first">The index of the first of the columns.</param>
    internal static long SequenceNumber(DbDataReader row, int first) => row.GetInt64(first + 3);
}
