using System.Text;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Sqlite;

/// <summary>Reads what queries ask for by pages. Thread-safe; the sessions are not.</summary>
internal sealed class SqlitePages(JournalTables tables, SqliteStatements statements, SqliteRows rows)
{
    // The column of tags in a row.
    private const int Tags = 8;

    internal void Read(SqliteSession session, PageStatement pages) => session.InTransaction(() =>
    {
        var statement = session.Statement(statements.Page);
        for (var member = 0; member < pages.Asks.Count && !pages.IsStopped; member++)
            ReadPage(statement, pages, member);
        rows.ReadTags(session, pages.EventsFrom);
    });

    internal void Read(SqliteSession session, OrderedStatement ordered) => session.InTransaction(() =>
    {
        if (ordered.Tags is { } wanted && tables.TagMode == TagMode.TagTable)
        {
            rows.OnTagTable(() => ReadTagged(session, wanted.Single(), ordered));
            rows.ReadAllTags(session, ordered.EventsFrom);
            return;
        }
        if (ordered.Tags is { } some)
            ReadTagged(session.Statement(statements.OrderedWithTag), new(some, tables.TagSeparator), ordered);
        else
            ReadAll(session.Statement(statements.Ordered), ordered);
        rows.ReadTags(session, ordered.EventsFrom);
    });

    internal void Read(SqliteSession session, FromEndStatement fromEnd) => session.InTransaction(() =>
    {
        if (fromEnd.Tag is { } tag && tables.TagMode == TagMode.TagTable)
        {
            rows.OnTagTable(() => ReadFromEnd(session, tag, fromEnd));
            return;
        }
        var row = session.Statement(statements.FromEnd).Bind(1, fromEnd.Below).Bind(2, fromEnd.MaxRows);
        while (row.Step() && fromEnd.Add(SqliteRows.Ordering(row), IdOf(row), fromEnd.Tag is null || row.IsNull(3) ? [] : rows.Tags(row, 3)))
        {
        }
        row.Reset();
    });

    internal void Read(SqliteSession session, IdsStatement ids) => session.InTransaction(() =>
    {
        var statement = ids.After is { } after
            ? session.Statement(statements.IdsBehind).Bind(1, after)
            : session.Statement(statements.FirstIds);
        var more = true;
        while (more && statement.Step())
        {
            var id = statement.Text(0);
            if (IsExact(statement, id))
                more = ids.Add(id, statement.Integer(1) != 0);
        }
        statement.Reset();
    });

    private void ReadPage(SqliteStatement statement, PageStatement pages, int member)
    {
        var ask = pages.Asks[member];
        statement.Bind(1, ask.PersistenceId).Bind(2, ask.Range.From).Bind(3, ask.Range.To).Bind(4, ask.Limit);
        var more = true;
        while (more && statement.Step())
            more = SqliteRows.IsDeleted(statement)
                ? pages.AddDeleted(member, SqliteRows.SequenceNumber(statement))
                : pages.Add(member, rows.Event(statement, ask.PersistenceId));
        statement.Reset();
    }

    private void ReadAll(SqliteStatement statement, OrderedStatement ordered)
    {
        statement.Bind(1, ordered.After).Bind(2, ordered.Through);
        var more = true;
        while (more && statement.Step())
            more = Add(statement, ordered);
        statement.Reset();
    }

    private void ReadTagged(SqliteStatement statement, SqliteTagColumn column, OrderedStatement ordered)
    {
        statement.Bind(1, ordered.After).Bind(2, ordered.Through).Bind(3, column.Least);
        var more = true;
        while (more && statement.Step())
            more = !column.IsWanted(statement, Tags) || Add(statement, ordered);
        statement.Reset();
    }

    // Two statements and not one, so that no planner can begin with the journal.
    private void ReadTagged(SqliteSession session, string tag, OrderedStatement ordered)
    {
        var orderings = session.Statement(statements.TaggedOrderings)
            .Bind(1, ordered.After).Bind(2, ordered.Through).Bind(3, tag).Bind(4, ordered.MaxRows);
        var row = session.Statement(statements.Row);
        var more = true;
        while (more && orderings.Step())
        {
            var ordering = orderings.Integer(0);
            more = row.Bind(1, ordering).Step() ? Add(row, ordered) : ordered.AddDeleted(ordering);
            row.Reset();
        }
        orderings.Reset();
    }

    private void ReadFromEnd(SqliteSession session, string tag, FromEndStatement fromEnd)
    {
        var orderings = session.Statement(statements.TaggedOrderingsFromEnd).Bind(1, fromEnd.Below).Bind(2, tag).Bind(3, fromEnd.MaxRows);
        var row = session.Statement(statements.Row);
        var more = true;
        while (more && orderings.Step())
        {
            var ordering = orderings.Integer(0);
            more = fromEnd.Add(ordering, row.Bind(1, ordering).Step() ? IdOf(row) : null, [orderings.CommonText(1)]);
            row.Reset();
        }
        orderings.Reset();
    }

    private static string? IdOf(SqliteStatement row) => SqliteRows.IsDeleted(row) ? null : row.Text(2);

    private bool Add(SqliteStatement row, OrderedStatement ordered) => SqliteRows.IsDeleted(row)
        ? ordered.AddDeleted(SqliteRows.Ordering(row))
        : ordered.Add(rows.Event(row));

    // A damaged text is read with U+FFFD for what is no character. As an id it is nobody's, and no scan could go on behind it.
    private static bool IsExact(SqliteStatement row, string id) =>
        !id.Contains('\ufffd', StringComparison.Ordinal) || row.TextBytes(0).SequenceEqual(Encoding.UTF8.GetBytes(id));
}
