using System.Globalization;
using Throttled.Journal.Relational;

namespace Throttled.Journal.Sqlite;

/// <summary>The syntax of SQLite. Its schemas are attached files, so a table's schema is omitted.</summary>
internal sealed class SqliteDialect : SqlDialect
{
    internal override string Quote(string identifier) => $"\"{identifier.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    internal override string Table(string? schema, string table) => Quote(table);

    internal override string Parameter(int number) => string.Create(CultureInfo.InvariantCulture, $"?{number}");

    internal override string IsExactly(string column, string value) => $"{column} = {value} AND {column} = {value} COLLATE BINARY";

    internal override string Limit(string count) => $"LIMIT {count}";
}
