using System.Data.Common;

namespace Throttled.Journal.Relational;

/// <summary>How one server spells things: also the values of parameters, the catalog's texts and the errors that a reader expects.</summary>
internal abstract class AdoDialect : SqlDialect
{
    /// <summary>Whether a table exists: true or 1. Parameter: table, quoted.</summary>
    internal abstract string IsThere { get; }

    /// <summary>
    /// Whether a table lacks an index that gives the orderings of a tag in order: true or 1. No row if there is no such table.
    /// Parameters: table, tag, ordering.
    /// </summary>
    internal abstract string LacksIndex { get; }

    /// <summary>Locks out other creators of tables until the end of the transaction.</summary>
    internal abstract string TakeTurns { get; }

    internal abstract DbParameter Of(long value);

    internal abstract DbParameter Of(int value);

    internal abstract DbParameter Of(string value);

    /// <summary>Several orderings as one value.</summary>
    internal abstract DbParameter Of(IReadOnlyList<long> orderings);

    /// <summary>Creates a function that reads the texts of one column for one statement. A text that consecutive rows share is created once.</summary>
    internal abstract Func<DbDataReader, int, string> NewText();

    internal abstract bool IsMissingTable(DbException error);

    /// <summary>The server's message if the error says that a column is missing; null otherwise.</summary>
    internal abstract string? MissingColumn(DbException error);

    /// <summary>Whether the user lacks a right.</summary>
    internal abstract bool IsRefused(DbException error);

    /// <summary>Whether the answer to <see cref="IsThere"/> or <see cref="LacksIndex"/> is yes.</summary>
    internal static bool IsTrue(object? answer) => answer is true or 1;
}
