using System.Data.Common;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

/// <summary>Runs the statements of queries: pages of ids, events in journal order, persistence ids.</summary>
internal sealed class SqlServerScans(JournalTables tables, SqlServerJournalSql sql, SqlServerRowDecoder decoder, SqlServerTags tags)
{
    private readonly bool _csv = tables.TagMode == TagMode.Csv;

    internal async Task ReadPagesAsync(SqlServerSession session, ByIdRows rows, CancellationToken cancellation)
    {
        await (rows.Requests.Count == 1
            ? ReadPageAsync(session, rows, cancellation)
            : ReadSharedAsync(session, rows, cancellation)).ConfigureAwait(false);
        if (!_csv)
            await tags.ReadAsync(session, rows.EventsFrom, cancellation).ConfigureAwait(false);
    }

    internal async Task ReadOrderedAsync(SqlServerSession session, OrderedRows rows, CancellationToken cancellation)
    {
        if (_csv || rows.Tags is null)
            await ReadWindowAsync(session, rows, cancellation).ConfigureAwait(false);
        else
            await ReadTaggedAsync(session, rows, cancellation).ConfigureAwait(false);
        if (_csv)
            return;
        await (rows.Tags is null
            ? tags.ReadAsync(session, rows.EventsFrom, cancellation)
            : tags.ReadAllAsync(session, rows, cancellation)).ConfigureAwait(false);
    }

    internal Task ReadFromEndAsync(SqlServerSession session, FromEndRows rows, CancellationToken cancellation)
    {
        var (below, limit) = (Of(rows.Below), Of(rows.MaxRows));
        return rows.Tag is not { } tag || _csv
            ? session.ReadAsync(sql.FromEnd, Take, cancellation, below, limit)
            : tags.RunAsync(session, () => session.ReadAsync(sql.FromEndByTable, Take, cancellation, below, Of(tag), limit), cancellation);

        bool Take(DbDataReader row)
        {
            var ordering = row.GetInt64(0);
            var id = row.IsDBNull(1) || RowDecoder.IsDeleted(row, first: 0) ? null : SqlServerRowDecoder.PersistenceId(row, first: 0);
            rows.Add(ordering, id, rows.Tag is null ? [] : _csv ? decoder.Tags(row, 3) : [row.GetString(3)]);
            // Read to the last row: an early stop would cost a round trip.
            return true;
        }
    }

    internal Task ReadIdsAsync(SqlServerSession session, IdsRows rows, CancellationToken cancellation)
    {
        var count = 0;
        return rows.After is { } after
            ? session.ReadAsync(sql.Ids, Take, cancellation, Of(after), Of(rows.Limit))
            : session.ReadAsync(sql.FirstIds, Take, cancellation, Of(rows.Limit));

        bool Take(DbDataReader row)
        {
            var (first, last, hasEvents) = (row.GetString(0), row.GetString(1), row.GetInt32(2) == 1);
            if (hasEvents && !string.Equals(first, last, StringComparison.Ordinal))
                rows.AddEquivalent(first);
            // The statement ends by itself at its last row. A cancel would cost a round trip.
            return rows.Add(last, hasEvents) | ++count >= rows.Limit;
        }
    }

    private Task ReadPageAsync(SqlServerSession session, ByIdRows rows, CancellationToken cancellation)
    {
        var request = rows.Requests[0];
        var manifests = new RepeatedText();
        return session.ReadAsync(
            sql.Page,
            row => Take(row, first: 0, member: 0, rows, manifests),
            cancellation,
            Of(request.PersistenceId),
            Of(request.Range.From),
            Of(request.Range.To),
            Of(Math.Min(request.Limit, rows.MaxRows)));
    }

    private Task ReadSharedAsync(SqlServerSession session, ByIdRows rows, CancellationToken cancellation)
    {
        var manifests = new RepeatedText();
        return session.ReadAsync(
            sql.Pages,
            row => row.IsDBNull(2)
                ? rows.AddDeleted(row.GetInt32(0), row.GetInt64(1)) || rows.Rows >= rows.MaxRows
                : Take(row, first: 2, row.GetInt32(0), rows, manifests),
            cancellation,
            List(rows.Requests),
            Of(rows.MaxRows));
    }

    // The column's collation may treat another id as equal: in another case, or with spaces at its end.
    private bool Take(DbDataReader row, int first, int member, ByIdRows rows, RepeatedText manifests)
    {
        var id = rows.Requests[member].PersistenceId;
        var isEvent = !RowDecoder.IsDeleted(row, first) && string.Equals(SqlServerRowDecoder.PersistenceId(row, first), id, StringComparison.Ordinal);
        var goesOn = isEvent
            ? rows.Add(member, decoder.Event(row, first, id, manifests))
            : rows.AddDeleted(member, RowDecoder.SequenceNumber(row, first));
        // The statement ends by itself at its last row. A cancel would cost a round trip.
        return goesOn || rows.Rows >= rows.MaxRows;
    }

    private Task ReadWindowAsync(SqlServerSession session, OrderedRows rows, CancellationToken cancellation)
    {
        var (after, upTo, limit) = (Of(rows.After), Of(rows.UpTo), Of(rows.MaxRows));
        var (ids, manifests) = (new RepeatedText(), new RepeatedText());
        return rows.Tags is null
            ? session.ReadAsync(sql.Ordered, Take, cancellation, after, upTo, limit)
            : session.ReadAsync(sql.OrderedByColumn, Take, cancellation, after, upTo, List(rows.Tags.Select(Marked)), limit);

        bool Take(DbDataReader row) => this.Take(row, first: 0, rows, ids, manifests);
    }

    private Task ReadTaggedAsync(SqlServerSession session, OrderedRows rows, CancellationToken cancellation)
    {
        var (ids, manifests) = (new RepeatedText(), new RepeatedText());
        return tags.RunAsync(
            session,
            () => session.ReadAsync(
                sql.OrderedByTable,
                Take,
                cancellation,
                Of(rows.After),
                Of(rows.UpTo),
                // A limit for several tags together could stop in the middle of one tag.
                Of(rows.Tags!.Single()),
                Of(rows.MaxRows)),
            cancellation);

        bool Take(DbDataReader row) => row.IsDBNull(1)
            ? rows.AddDeleted(row.GetInt64(0)) || rows.Rows >= rows.MaxRows
            : this.Take(row, first: 1, rows, ids, manifests);
    }

    private bool Take(DbDataReader row, int first, OrderedRows rows, RepeatedText ids, RepeatedText manifests)
    {
        var goesOn = RowDecoder.IsDeleted(row, first)
            ? rows.AddDeleted(row.GetInt64(first))
            : rows.Add(decoder.Event(row, first, ids.Of(SqlServerRowDecoder.PersistenceId(row, first)), manifests));
        return goesOn || rows.Rows >= rows.MaxRows;
    }

    private string Marked(string tag) => $"{tables.TagSeparator}{tag}{tables.TagSeparator}";
}
