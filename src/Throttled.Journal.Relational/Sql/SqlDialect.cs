namespace Throttled.Journal.Relational;

/// <summary>How one database spells things. It has no connection and no state.</summary>
internal abstract class SqlDialect
{
    /// <summary>An identifier that cannot leave its quotes.</summary>
    internal abstract string Quote(string identifier);

    /// <summary>A table in its schema, quoted.</summary>
    internal abstract string Table(string? schema, string table);

    /// <summary>The n-th parameter, from 1.</summary>
    internal abstract string Parameter(int number);

    /// <summary>The clause behind ORDER BY that keeps the first rows.</summary>
    internal abstract string Limit(string count);

    /// <summary>Whether a column has exactly a value, whatever texts are equal to the collation of the column. An index on the column finds it.</summary>
    internal virtual string IsExactly(string column, string value) => $"{column} = {value}";

    /// <summary>The type of texts of at most 255 characters.</summary>
    internal virtual string ShortText => "VARCHAR(255)";

    /// <summary>The type of texts of any length.</summary>
    internal virtual string LongText => "TEXT";

    /// <summary>Creates a table where there is none of its name.</summary>
    internal virtual string CreateTable(string table, string columns) => $"CREATE TABLE IF NOT EXISTS {table} ({columns})";
}
