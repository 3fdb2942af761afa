using System.Data.Common;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Throttled.Journal.Relational;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

/// <summary>Reads which open transactions may still commit an ordering, as far as the server shows them. Thread-safe.</summary>
internal sealed partial class SqlServerOpenTransactions(SqlServerJournalSql sql)
{
    private const int MostCharacters = 100;

    private volatile bool _areVisible;

    /// <summary>Whether the server shows the open transactions. Set by a probe.</summary>
    internal bool AreVisible => _areVisible;

    /// <summary>Finds out whether the server shows the open transactions.</summary>
    /// <param name="session">The session.</param>
    /// <param name="lockTable">Whether an ordering is drawn under a lock of the journal table.</param>
    /// <param name="cancellation">Cancels the statement.</param>
    /// <returns>The server's reason why not; null if it shows them, or if no query is needed.</returns>
    internal async Task<string?> LearnAsync(IAdoSession session, bool lockTable, CancellationToken cancellation)
    {
        _areVisible = false;
        if (!lockTable)
            return null;
        try
        {
            await FindAsync(session, cancellation).ConfigureAwait(false);
            _areVisible = true;
            return null;
        }
        catch (DbException error) when (SqlServerFaults.IsRefused(error))
        {
            return error.Message;
        }
    }

    /// <returns>Null if the server does not show them.</returns>
    internal async Task<IReadOnlySet<string>?> ReadAsync(IAdoSession session, CancellationToken cancellation)
    {
        if (!_areVisible)
            return null;
        try
        {
            return await FindAsync(session, cancellation).ConfigureAwait(false);
        }
        catch (DbException error) when (SqlServerFaults.IsRefused(error))
        {
            // The right was revoked. The next probe checks whether it is back.
            _areVisible = false;
            return null;
        }
    }

    /// <summary>As <see cref="Throttled.Journal.Database.IJournalDatabase.DescribeOldestAsync"/>.</summary>
    internal static Task<string?> DescribeOldestAsync(
        IAdoSession session, IReadOnlySet<string> openTransactions, CancellationToken cancellation) =>
        session.RowAsync(SqlServerCatalogSql.Oldest, Clause, cancellation, List(openTransactions.Select(NumberOf)));

    // The numbers start again when the server restarts.
    private async Task<HashSet<string>> FindAsync(IAdoSession session, CancellationToken cancellation)
    {
        var openTransactions = new HashSet<string>(StringComparer.Ordinal);
        await session.ReadAsync(
            SqlServerCatalogSql.OpenTransactions,
            row => openTransactions.Add(FormattableString.Invariant($"{session.Server}/{row.GetInt64(0)}")) || true,
            cancellation,
            Of(sql.JournalTable)).ConfigureAwait(false);
        return openTransactions;
    }

    private static long NumberOf(string transaction) => long.Parse(transaction.AsSpan(transaction.LastIndexOf('/') + 1), CultureInfo.InvariantCulture);

    // Age, user, session, program, state, query. Unknown values are omitted.
    private static string Clause(DbDataReader row)
    {
        var age = row.IsDBNull(0) ? "open" : FormattableString.Invariant($"open for {row.GetInt64(0)} s");
        if (row.IsDBNull(2))
            return $"{age} without a session: it waits for its coordinator, or is rolled back";
        var by = Text(row, 1) is { } user ? $" by user '{user}'" : "";
        var session = FormattableString.Invariant($"session {Convert.ToInt32(row.GetValue(2), CultureInfo.InvariantCulture)}")
            + (Text(row, 3) is { Length: > 0 } program ? $", '{program}'" : "")
            + (Text(row, 4) is { } state ? $", {state}" : "");
        return $"{age}{by} ({session}){(Text(row, 5) is { Length: > 0 } query ? $": {Cut(Spaces().Replace(query, " "))}" : "")}";
    }

    // The server sends one character more than the text shows. One of its characters may be two UTF-16 units.
    private static string Cut(string query)
    {
        List<Rune> runes = [.. query.EnumerateRunes()];
        return runes.Count > MostCharacters ? string.Concat(runes.Take(MostCharacters)) + "…" : query;
    }

    private static string? Text(DbDataReader row, int column) => row.IsDBNull(column) ? null : row.GetString(column);

    [GeneratedRegex(@"\s+")]
    private static partial Regex Spaces();
}
