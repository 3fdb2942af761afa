using System.Text;
using Throttled.Journal;

namespace Throttled.Projections.Merging;

/// <summary>What a table, a column or a schema can be called.</summary>
internal static class MergeName
{
    // PostgreSQL cuts longer names, so that two would be one: https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS
    private const int MostBytes = 63;

    /// <summary>The name, if it is one. What follows a NUL would not reach the database, and the quotes would stay open.</summary>
    /// <exception cref="ArgumentException">It is none.</exception>
    internal static string Checked(string name, string what)
    {
        if (string.IsNullOrEmpty(name) || name.Contains('\0', StringComparison.Ordinal) || !OptionCheck.IsWellFormed(name))
            throw new ArgumentException($"The name of the {what} is \"{name}\"; it must be one or more whole characters without NUL. Correct it.");
        var bytes = Encoding.UTF8.GetByteCount(name);
        return bytes > MostBytes
            ? throw new ArgumentException(FormattableString.Invariant(
                $"The name of the {what} is \"{name}\", which has {bytes} bytes in UTF-8; it may have {MostBytes}, because PostgreSQL cuts longer names. Take a shorter one."))
            : name;
    }
}
