using System.Globalization;
using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer;

/// <summary>The syntax of SQL Server.</summary>
internal sealed class SqlServerDialect : SqlDialect
{
    internal override string ShortText => "NVARCHAR(255)";

    internal override string LongText => "NVARCHAR(MAX)";

    internal override string Quote(string identifier) => $"[{identifier.Replace("]", "]]", StringComparison.Ordinal)}]";

    internal override string Table(string? schema, string table) =>
        schema is null ? Quote(table) : $"{Quote(schema)}.{Quote(table)}";

    internal override string Parameter(int number) => string.Create(CultureInfo.InvariantCulture, $"@p{number}");

    internal override string Limit(string count) => $"OFFSET 0 ROWS FETCH NEXT {count} ROWS ONLY";

    internal override string CreateTable(string table, string columns) =>
        $"IF OBJECT_ID({Text(table)}, N'U') IS NULL CREATE TABLE {table} ({columns})";

    /// <summary>A string literal, with its quotes escaped.</summary>
    internal static string Text(string value) => $"N'{value.Replace("'", "''", StringComparison.Ordinal)}'";
}
