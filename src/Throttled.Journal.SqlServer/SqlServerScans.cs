using System.Data.Common;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

internal sealed class SqlServerScans(AdoContext context, SqlServerJournalSql sql) : AdoScans(context)
{
    protected override Task ReadMembersAsync(IAdoSession session, ByIdRows rows, RowDecoder decoder, CancellationToken cancellation) =>
        rows.Requests.Count == 1
            ? ReadPageAsync(session, rows, decoder, cancellation)
            : ReadSharedAsync(session, rows, decoder, cancellation);

    protected override bool AddId(DbDataReader row, IdsRows rows)
    {
        var (first, last, hasEvents) = (row.GetString(0), row.GetString(1), row.GetInt32(2) == 1);
        if (hasEvents && !string.Equals(first, last, StringComparison.Ordinal))
            rows.AddEquivalent(first);
        return rows.Add(last, hasEvents);
    }

    protected override DbParameter Wanted(IEnumerable<string> tags) => List(tags);

    private Task ReadPageAsync(IAdoSession session, ByIdRows rows, RowDecoder decoder, CancellationToken cancellation)
    {
        var request = rows.Requests[0];
        return session.ReadAsync(
            sql.Page,
            row => Take(row, first: 0, member: 0, rows, decoder),
            cancellation,
            Of(request.PersistenceId),
            Of(request.Range.From),
            Of(request.Range.To),
            Of(Math.Min(request.Limit, rows.MaxRows)));
    }

    private Task ReadSharedAsync(IAdoSession session, ByIdRows rows, RowDecoder decoder, CancellationToken cancellation) => session.ReadAsync(
        sql.Pages,
        row => row.IsDBNull(2)
            ? rows.AddDeleted(row.GetInt32(0), row.GetInt64(1)) || rows.Rows >= rows.MaxRows
            : Take(row, first: 2, row.GetInt32(0), rows, decoder),
        cancellation,
        List(rows.Requests),
        Of(rows.MaxRows));

    // The column's collation may treat another id as equal: in another case, or with spaces at its end.
    private static bool Take(DbDataReader row, int first, int member, ByIdRows rows, RowDecoder decoder)
    {
        var id = rows.Requests[member].PersistenceId;
        var isEvent = !RowDecoder.IsDeleted(row, first) && string.Equals(row.GetString(first + 2), id, StringComparison.Ordinal);
        var goesOn = isEvent
            ? rows.Add(member, decoder.Event(row, first, row.GetInt64(first), id))
            : rows.AddDeleted(member, RowDecoder.SequenceNumber(row, first));
        // The statement ends by itself at its last row. A cancel would cost a round trip.
        return goesOn || rows.Rows >= rows.MaxRows;
    }
}
