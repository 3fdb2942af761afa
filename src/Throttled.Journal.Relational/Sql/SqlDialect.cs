namespace Throttled.Journal.Relational;

/// <summary>The syntax of one database. It has no connection and no state.</summary>
internal abstract class SqlDialect
{
    /// <summary>Puts an identifier in quotes and escapes the quotes in it.</summary>
    internal abstract string Quote(string identifier);

    /// <summary>A table in its schema, quoted.</summary>
    internal virtual string Table(string? schema, string table) => schema is null ? Quote(table) : $"{Quote(schema)}.{Quote(table)}";

    /// <summary>The n-th parameter, from 1.</summary>
    internal abstract string Parameter(int number);

    /// <summary>The clause after ORDER BY that keeps the first rows.</summary>
    internal abstract string Limit(string count);

    /// <summary>
    /// A condition that is true if a column has exactly this value, even if the column's collation treats other texts as equal. An index on the column
    /// can be used.
    /// </summary>
    internal virtual string IsExactly(string column, string value) => $"{column} = {value}";

    /// <summary>The type of texts of at most 255 characters.</summary>
    internal virtual string ShortText => "VARCHAR(255)";

    /// <summary>The type of texts of any length.</summary>
    internal virtual string LongText => "TEXT";

    /// <summary>Creates a table if none with this name exists.</summary>
    internal virtual string CreateTable(string table, string columns) => $"CREATE TABLE IF NOT EXISTS {table} ({columns})";
}
