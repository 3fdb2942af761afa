using System.Data.Common;
using System.Globalization;
using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer;

/// <summary>The syntax of SQL Server.</summary>
internal sealed class SqlServerDialect : AdoDialect
{
    internal override string IsThere => SqlServerCatalogSql.IsThere;

    internal override string LacksIndex => SqlServerCatalogSql.LacksIndex;

    internal override string TakeTurns => SqlServerSchema.TakeTurns;

    internal override string ShortText => "NVARCHAR(255)";

    internal override string LongText => "NVARCHAR(MAX)";

    internal override string Quote(string identifier) => $"[{identifier.Replace("]", "]]", StringComparison.Ordinal)}]";

    internal override string Parameter(int number) => string.Create(CultureInfo.InvariantCulture, $"@p{number}");

    internal override string Limit(string count) => $"OFFSET 0 ROWS FETCH NEXT {count} ROWS ONLY";

    internal override string CreateTable(string table, string columns) => $"IF OBJECT_ID({Text(table)}, N'U') IS NULL CREATE TABLE {table} ({columns})";

    internal override DbParameter Of(long value) => SqlServerParameters.Of(value);

    internal override DbParameter Of(int value) => SqlServerParameters.Of(value);

    internal override DbParameter Of(string value) => SqlServerParameters.Of(value);

    internal override DbParameter Of(IReadOnlyList<long> orderings) => SqlServerParameters.List(orderings);

    internal override Func<DbDataReader, int, string> NewText()
    {
        var last = "";
        return (row, column) => row.GetString(column) is var text && text == last ? last : last = text;
    }

    internal override bool IsMissingTable(DbException error) => SqlServerFaults.IsMissingTable(error);

    internal override string? MissingColumn(DbException error) => SqlServerFaults.IsMissingColumn(error) ? error.Message : null;

    internal override bool IsRefused(DbException error) => SqlServerFaults.IsRefused(error);

    /// <summary>A string literal, with its quotes escaped.</summary>
    internal static string Text(string value) => $"N'{value.Replace("'", "''", StringComparison.Ordinal)}'";
}
