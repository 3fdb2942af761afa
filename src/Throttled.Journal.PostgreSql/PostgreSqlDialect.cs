using System.Globalization;
using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>How PostgreSQL spells things.</summary>
internal sealed class PostgreSqlDialect : SqlDialect
{
    internal override string Quote(string identifier) =>
        $"\"{identifier.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    internal override string Table(string? schema, string table) =>
        schema is null ? Quote(table) : $"{Quote(schema)}.{Quote(table)}";

    // Positional, so that Npgsql passes the text on without parsing it:
    // https://www.npgsql.org/doc/basic-usage.html#positional-and-named-placeholders
    internal override string Parameter(int number) => string.Create(CultureInfo.InvariantCulture, $"${number}");

    internal override string IsExactly(string column, string value) => $"{column} = {value} AND {column} COLLATE \"C\" = {value}";

    internal override string Limit(string count) => $"LIMIT {count}";
}
