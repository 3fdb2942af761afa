using System.Text;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Sqlite;

/// <summary>The page reads of queries. Thread-safe; the sessions are not.</summary>
internal sealed class SqliteScans(JournalTables tables, SqliteJournalSql sql, SqliteRowDecoder decoder)
{
    // The tag column of a row.
    private const int Tags = 8;

    internal void Read(SqliteSession session, ByIdRows pages) => session.InTransaction(() =>
    {
        var statement = session.Statement(sql.Page);
        for (var member = 0; member < pages.Requests.Count && !pages.IsStopped; member++)
            ReadPage(statement, pages, member);
        decoder.ReadTags(session, pages.EventsFrom);
    });

    internal void Read(SqliteSession session, OrderedRows ordered) => session.InTransaction(() =>
    {
        if (ordered.Tags is { } wanted && tables.TagMode == TagMode.TagTable)
        {
            decoder.OnTagTable(() => ReadTagged(session, wanted.Single(), ordered));
            decoder.ReadAllTags(session, ordered.EventsFrom);
            return;
        }
        if (ordered.Tags is { } some)
            ReadTagged(session.Statement(sql.OrderedWithTag), new(some, tables.TagSeparator), ordered);
        else
            ReadAll(session.Statement(sql.Ordered), ordered);
        decoder.ReadTags(session, ordered.EventsFrom);
    });

    internal void Read(SqliteSession session, FromEndRows fromEnd) => session.InTransaction(() =>
    {
        if (fromEnd.Tag is { } tag && tables.TagMode == TagMode.TagTable)
        {
            decoder.OnTagTable(() => ReadFromEnd(session, tag, fromEnd));
            return;
        }
        var row = session.Statement(sql.FromEnd).Bind(1, fromEnd.Below).Bind(2, fromEnd.MaxRows);
        while (row.Step() && fromEnd.Add(SqliteRowDecoder.Ordering(row), IdOf(row), fromEnd.Tag is null || row.IsNull(3) ? [] : decoder.Tags(row, 3)))
        {
        }
        row.Reset();
    });

    internal void Read(SqliteSession session, IdsRows ids) => session.InTransaction(() =>
    {
        var statement = ids.After is { } after ? session.Statement(sql.IdsAfter).Bind(1, after) : session.Statement(sql.FirstIds);
        var more = true;
        while (more && statement.Step())
        {
            var id = statement.Text(0);
            if (IsExact(statement, id))
                more = ids.Add(id, statement.Integer(1) != 0);
        }
        statement.Reset();
    });

    private void ReadPage(PreparedStatement statement, ByIdRows pages, int member)
    {
        var request = pages.Requests[member];
        statement.Bind(1, request.PersistenceId).Bind(2, request.Range.From).Bind(3, request.Range.To).Bind(4, request.Limit);
        var more = true;
        while (more && statement.Step())
            more = SqliteRowDecoder.IsDeleted(statement)
                ? pages.AddDeleted(member, SqliteRowDecoder.SequenceNumber(statement))
                : pages.Add(member, decoder.Event(statement, request.PersistenceId));
        statement.Reset();
    }

    private void ReadAll(PreparedStatement statement, OrderedRows ordered)
    {
        statement.Bind(1, ordered.After).Bind(2, ordered.UpTo);
        var more = true;
        while (more && statement.Step())
            more = Add(statement, ordered);
        statement.Reset();
    }

    private void ReadTagged(PreparedStatement statement, SqliteTagColumn column, OrderedRows ordered)
    {
        statement.Bind(1, ordered.After).Bind(2, ordered.UpTo).Bind(3, column.Least);
        var more = true;
        while (more && statement.Step())
            more = !column.IsWanted(statement, Tags) || Add(statement, ordered);
        statement.Reset();
    }

    // Two statements, not a join, so that the planner cannot begin with the journal table.
    private void ReadTagged(SqliteSession session, string tag, OrderedRows ordered)
    {
        var orderings = session.Statement(sql.TaggedOrderings).Bind(1, ordered.After).Bind(2, ordered.UpTo).Bind(3, tag).Bind(4, ordered.MaxRows);
        var row = session.Statement(sql.Row);
        var more = true;
        while (more && orderings.Step())
        {
            var ordering = orderings.Integer(0);
            more = row.Bind(1, ordering).Step() ? Add(row, ordered) : ordered.AddDeleted(ordering);
            row.Reset();
        }
        orderings.Reset();
    }

    private void ReadFromEnd(SqliteSession session, string tag, FromEndRows fromEnd)
    {
        var orderings = session.Statement(sql.TaggedOrderingsFromEnd).Bind(1, fromEnd.Below).Bind(2, tag).Bind(3, fromEnd.MaxRows);
        var row = session.Statement(sql.Row);
        var more = true;
        while (more && orderings.Step())
        {
            var ordering = orderings.Integer(0);
            more = fromEnd.Add(ordering, row.Bind(1, ordering).Step() ? IdOf(row) : null, [orderings.CommonText(1)]);
            row.Reset();
        }
        orderings.Reset();
    }

    private static string? IdOf(PreparedStatement row) => SqliteRowDecoder.IsDeleted(row) ? null : row.Text(2);

    private bool Add(PreparedStatement row, OrderedRows ordered) => SqliteRowDecoder.IsDeleted(row)
        ? ordered.AddDeleted(SqliteRowDecoder.Ordering(row))
        : ordered.Add(decoder.Event(row));

    // In a damaged text, U+FFFD stands for invalid bytes. It is no stored id, and a scan could not continue after it.
    private static bool IsExact(PreparedStatement row, string id) =>
        !id.Contains('\ufffd', StringComparison.Ordinal) || row.TextBytes(0).SequenceEqual(Encoding.UTF8.GetBytes(id));
}
