using System.Data.Common;
using System.Globalization;
using Npgsql;
using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>The syntax of PostgreSQL.</summary>
internal sealed class PostgreSqlDialect : AdoDialect
{
    internal override string IsThere => PostgreSqlCatalogSql.IsThere;

    internal override string LacksIndex => PostgreSqlCatalogSql.LacksIndex;

    internal override string TakeTurns => PostgreSqlSchema.TakeTurns;

    internal override string Quote(string identifier) => $"\"{identifier.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    // Positional parameters, so that Npgsql does not parse the text:
    // https://www.npgsql.org/doc/basic-usage.html#positional-and-named-placeholders
    internal override string Parameter(int number) => string.Create(CultureInfo.InvariantCulture, $"${number}");

    internal override string IsExactly(string column, string value) => $"{column} = {value} AND {column} COLLATE \"C\" = {value}";

    internal override string Limit(string count) => $"LIMIT {count}";

    internal override DbParameter Of(long value) => PostgreSqlParameters.Of(value);

    internal override DbParameter Of(int value) => PostgreSqlParameters.Of(value);

    internal override DbParameter Of(string value) => PostgreSqlParameters.Of(value);

    internal override DbParameter Of(IReadOnlyList<long> orderings) => PostgreSqlParameters.Of(orderings as long[] ?? [.. orderings]);

    internal override Func<DbDataReader, int, string> NewText() => new RepeatedUtf8().Read;

    internal override bool IsMissingTable(DbException error) => error is PostgresException { SqlState: PostgresErrorCodes.UndefinedTable };

    internal override string? MissingColumn(DbException error) =>
        error is PostgresException { SqlState: PostgresErrorCodes.UndefinedColumn } missing ? missing.MessageText : null;

    internal override bool IsRefused(DbException error) => error is PostgresException { SqlState: PostgresErrorCodes.InsufficientPrivilege };
}
