namespace Throttled.Journal.Sql;

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
}
