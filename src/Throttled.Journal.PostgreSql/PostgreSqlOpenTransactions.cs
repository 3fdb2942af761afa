using System.Data.Common;
using System.Text;
using Throttled.Journal.Relational;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>Describes the transaction that owns an ordering, as far as the server shows it.</summary>
internal static class PostgreSqlOpenTransactions
{
    private const int MostCharacters = 100;

    internal static Task<string?> DescribeOldestAsync(
        PostgreSqlSession session, IReadOnlySet<string> openTransactions, CancellationToken cancellation) =>
        session.RowAsync(PostgreSqlCatalogSql.Oldest, Clause, cancellation, Of([.. openTransactions]));

    // Age, user, process, application, state, query, name of a prepared transaction. Unknown values are omitted.
    private static string Clause(DbDataReader row)
    {
        var age = row.IsDBNull(0) ? "open" : FormattableString.Invariant($"open for {row.GetInt64(0)} s");
        var by = Text(row, 1) is { } user ? $" by user '{user}'" : "";
        if (Text(row, 6) is { } prepared)
            return $"{age}, prepared as '{prepared}'{by}";
        var session = FormattableString.Invariant($"pid {row.GetInt32(2)}")
            + (Text(row, 3) is { Length: > 0 } application ? $", '{application}'" : "")
            + (Text(row, 4) is { } state ? $", {state}" : "");
        return $"{age}{by} ({session}){(Text(row, 5) is { Length: > 0 } query ? $": {Cut(query)}" : "")}";
    }

    // The server sends one character more than the text shows. One of its characters may be two UTF-16 units.
    private static string Cut(string query)
    {
        List<Rune> runes = [.. query.EnumerateRunes()];
        return runes.Count > MostCharacters ? string.Concat(runes.Take(MostCharacters)) + "…" : query;
    }

    private static string? Text(DbDataReader row, int column) => row.IsDBNull(column) ? null : row.GetString(column);
}
