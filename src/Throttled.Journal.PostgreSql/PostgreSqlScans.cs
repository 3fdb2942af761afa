using System.Data.Common;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

internal sealed class PostgreSqlScans(AdoContext context, PostgreSqlJournalSql sql) : AdoScans(context)
{
    protected override Task ReadMembersAsync(IAdoSession session, ByIdRows rows, RowDecoder decoder, CancellationToken cancellation)
    {
        return session.ReadAsync(sql.Pages, Take, cancellation, Members(rows));

        bool Take(DbDataReader row)
        {
            var member = (int)row.GetInt64(0) - 1;
            // Read the columns in their order: going back in a row costs the driver a new search.
            var ordering = row.GetInt64(1);
            var goesOn = RowDecoder.IsDeleted(row, first: 1)
                ? rows.AddDeleted(member, RowDecoder.SequenceNumber(row, first: 1))
                : rows.Add(member, decoder.Event(row, first: 1, ordering, rows.Requests[member].PersistenceId));
            // The statement ends by itself at its last row. A cancel would cost a connection.
            return goesOn || rows.Rows >= rows.MaxRows;
        }
    }

    protected override bool AddId(DbDataReader row, IdsRows rows) => rows.Add(row.GetString(0), hasEvents: row.GetBoolean(1));

    // A backslash escapes the special characters of a pattern, also in the separator.
    protected override DbParameter Wanted(IEnumerable<string> tags) => Of([.. tags.Select(tag => $"%{Plain(tag)}%")]);

    private static DbParameter[] Members(ByIdRows rows)
    {
        var requests = rows.Requests;
        var (ids, limits) = (new string[requests.Count], new int[requests.Count]);
        var (from, to) = (new long[requests.Count], new long[requests.Count]);
        for (var i = 0; i < requests.Count; i++)
            (ids[i], from[i], to[i], limits[i]) = (requests[i].PersistenceId, requests[i].Range.From, requests[i].Range.To, requests[i].Limit);
        return [Of(ids), Of(from), Of(to), Of(limits), Of(rows.MaxRows)];
    }

    private static string Plain(string text) => text
        .Replace("\\", "\\\\", StringComparison.Ordinal)
        .Replace("%", "\\%", StringComparison.Ordinal)
        .Replace("_", "\\_", StringComparison.Ordinal);
}
