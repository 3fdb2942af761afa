using System.Globalization;
using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>The syntax of PostgreSQL.</summary>
internal sealed class PostgreSqlDialect : SqlDialect
{
    internal override string Quote(string identifier) =>
        $"\"{identifier.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    internal override string Table(string? schema, string table) =>
        schema is null ? Quote(table) : $"{Quote(schema)}.{Quote(table)}";

    // Positional parameters, so that Npgsql does not parse the text:
    // https://www.npgsql.org/doc/basic-usage.html#positional-and-named-placeholders
    internal override string Parameter(int number) => string.Create(CultureInfo.InvariantCulture, $"${number}");

    internal override string IsExactly(string column, string value) => $"{column} = {value} AND {column} COLLATE \"C\" = {value}";

    internal override string Limit(string count) => $"LIMIT {count}";
}
