using System.Security.Cryptography;
using System.Text;

namespace Throttled.Journal.PostgreSql;

/// <summary>
/// The limit of PostgreSQL's names. In a statement, the server cuts a longer name without an error. It does not cut a value
/// that is compared with the catalog. https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS
/// </summary>
internal static class PostgreSqlNames
{
    private const int MostBytes = 63;
    private const string IndexSuffix = "_tag_ordering_idx";

    /// <exception cref="ArgumentException">A name is longer than the server's limit.</exception>
    internal static void ThrowIfTooLong(JournalTables tables)
    {
        foreach (var (setting, name) in tables.Names())
        {
            var bytes = Encoding.UTF8.GetByteCount(name);
            if (bytes > MostBytes)
                throw new ArgumentException(FormattableString.Invariant(
                    $"'{setting}' is \"{name}\", which has {bytes} bytes in UTF-8; PostgreSQL cuts a name at {MostBytes} bytes. Write it as the database has it: \"{Cut(name, MostBytes)}\"."));
        }
    }

    /// <summary>
    /// The name of the index that reading by tag needs. If the server cut it, the name of a long table's index could equal the
    /// table's name. IF NOT EXISTS would then take the table for the index.
    /// </summary>
    internal static string TagIndex(string tagTable)
    {
        if (Encoding.UTF8.GetByteCount(tagTable) + IndexSuffix.Length <= MostBytes)
            return tagTable + IndexSuffix;
        var mark = "_" + Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(tagTable)).AsSpan(0, 4));
        return Cut(tagTable, MostBytes - mark.Length - IndexSuffix.Length) + mark + IndexSuffix;
    }

    private static string Cut(string name, int bytes)
    {
        var kept = 0;
        foreach (var rune in name.EnumerateRunes())
        {
            bytes -= rune.Utf8SequenceLength;
            if (bytes < 0)
                break;
            kept += rune.Utf16SequenceLength;
        }
        return name[..kept];
    }
}
