using System.Data.Common;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>Runs the statements of queries.</summary>
internal sealed class PostgreSqlScans(AdoContext context, PostgreSqlJournalSql sql) : AdoScans(context)
{
    private readonly EventTypes _types = new();

    protected override Task ReadMembersAsync(IAdoSession session, ByIdRows rows, RowDecoder decoder, CancellationToken cancellation)
    {
        var named = _types.Latest;
        var types = _types.NewReader(named);
        return session.ReadAsync(sql.Pages, Take, cancellation, [.. Members(rows), .. Named(named)]);

        bool Take(DbDataReader row)
        {
            var member = (int)row.GetInt64(0) - 1;
            // Read the columns in their order: going back in a row costs the driver a new search.
            var ordering = row.GetInt64(1);
            var type = types.Read(row, 2);
            var goesOn = type.IsDeleted
                ? rows.AddDeleted(member, row.GetInt64(3))
                : rows.Add(member, decoder.Typed(row, first: 3, ordering, rows.Requests[member].PersistenceId, type.SerializerId, type.Manifest));
            // The statement ends by itself at its last row. A cancel would cost a connection.
            return goesOn || rows.Rows >= rows.MaxRows;
        }
    }

    protected override WindowReading Window(OrderedRows rows)
    {
        var (decoder, named) = (Context.NewDecoder(), _types.Latest);
        var types = _types.NewReader(named);
        return new(Take, Named(named));

        bool Take(DbDataReader row)
        {
            var ordering = row.GetInt64(0);
            var type = types.Read(row, 1);
            var goesOn = type.IsDeleted
                ? rows.AddDeleted(ordering)
                : rows.Add(decoder.Typed(row, first: 3, ordering, persistenceId: null, type.SerializerId, type.Manifest));
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

    private static DbParameter[] Named(EventType type) => [Of(type.SerializerId!.Value), Of(type.Manifest)];

    private static string Plain(string text) => text
        .Replace("\\", "\\\\", StringComparison.Ordinal)
        .Replace("%", "\\%", StringComparison.Ordinal)
        .Replace("_", "\\_", StringComparison.Ordinal);
}
