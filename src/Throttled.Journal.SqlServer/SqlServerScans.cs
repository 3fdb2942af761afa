using Microsoft.Data.SqlClient;
using Throttled.Journal.Sql;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

/// <summary>Runs the statements of queries: pages of ids, events in the order of the journal, persistence ids.</summary>
internal sealed class SqlServerScans(JournalTables tables, SqlServerStatements statements, SqlServerRows rows, SqlServerTags tags)
{
    private readonly bool _csv = tables.TagMode == TagMode.Csv;

    internal async Task ReadPagesAsync(SqlServerSession session, PageStatement statement, CancellationToken cancellation)
    {
        await (statement.Asks.Count == 1
            ? ReadPageAsync(session, statement, cancellation)
            : ReadSharedAsync(session, statement, cancellation)).ConfigureAwait(false);
        if (!_csv)
            await tags.ReadAsync(session, statement.EventsFrom, cancellation).ConfigureAwait(false);
    }

    internal async Task ReadOrderedAsync(SqlServerSession session, OrderedStatement statement, CancellationToken cancellation)
    {
        if (_csv || statement.Tags is null)
            await ReadWindowAsync(session, statement, cancellation).ConfigureAwait(false);
        else
            await ReadTaggedAsync(session, statement, cancellation).ConfigureAwait(false);
        if (_csv)
            return;
        await (statement.Tags is null
            ? tags.ReadAsync(session, statement.EventsFrom, cancellation)
            : tags.ReadAllAsync(session, statement, cancellation)).ConfigureAwait(false);
    }

    internal Task ReadFromEndAsync(SqlServerSession session, FromEndStatement statement, CancellationToken cancellation)
    {
        var (below, limit) = (Of(statement.Below), Of(statement.MaxRows));
        return statement.Tag is not { } tag || _csv
            ? session.ReadAsync(statements.FromEnd, Take, cancellation, below, limit)
            : tags.RunAsync(session, () => session.ReadAsync(statements.FromEndByTable, Take, cancellation, below, Of(tag), limit), cancellation);

        bool Take(SqlDataReader row)
        {
            var ordering = row.GetInt64(0);
            var id = row.IsDBNull(1) || JournalRow.IsDeleted(row, first: 0) ? null : SqlServerRows.PersistenceId(row, first: 0);
            statement.Add(ordering, id, statement.Tag is null ? [] : _csv ? rows.Tags(row, 3) : [row.GetString(3)]);
            // Read to the last row: stopping a reader early would cost a round trip.
            return true;
        }
    }

    internal Task ReadIdsAsync(SqlServerSession session, IdsStatement statement, CancellationToken cancellation)
    {
        var count = 0;
        return statement.After is { } after
            ? session.ReadAsync(statements.Ids, Take, cancellation, Of(after), Of(statement.Limit))
            : session.ReadAsync(statements.FirstIds, Take, cancellation, Of(statement.Limit));

        bool Take(SqlDataReader row)
        {
            var (first, last, hasEvents) = (row.GetString(0), row.GetString(1), row.GetInt32(2) == 1);
            if (hasEvents && !string.Equals(first, last, StringComparison.Ordinal))
                statement.AddBeside(first);
            // At its last row the statement ends by itself; to cancel it would cost a round trip.
            return statement.Add(last, hasEvents) | ++count >= statement.Limit;
        }
    }

    private Task ReadPageAsync(SqlServerSession session, PageStatement statement, CancellationToken cancellation)
    {
        var ask = statement.Asks[0];
        var manifests = new SameText();
        return session.ReadAsync(
            statements.Page,
            row => Take(row, first: 0, member: 0, statement, manifests),
            cancellation,
            Of(ask.PersistenceId),
            Of(ask.Range.From),
            Of(ask.Range.To),
            Of(Math.Min(ask.Limit, statement.MaxRows)));
    }

    private Task ReadSharedAsync(SqlServerSession session, PageStatement statement, CancellationToken cancellation)
    {
        var manifests = new SameText();
        return session.ReadAsync(
            statements.Pages,
            row => row.IsDBNull(2)
                ? statement.AddDeleted(row.GetInt32(0), row.GetInt64(1)) || statement.Rows >= statement.MaxRows
                : Take(row, first: 2, row.GetInt32(0), statement, manifests),
            cancellation,
            List(statement.Asks),
            Of(statement.MaxRows));
    }

    // The column may hold another id for equal: in another case, or with spaces at its end.
    private bool Take(SqlDataReader row, int first, int member, PageStatement statement, SameText manifests)
    {
        var id = statement.Asks[member].PersistenceId;
        var isEvent = !JournalRow.IsDeleted(row, first) && string.Equals(SqlServerRows.PersistenceId(row, first), id, StringComparison.Ordinal);
        var goesOn = isEvent
            ? statement.Add(member, rows.Event(row, first, id, manifests))
            : statement.AddDeleted(member, JournalRow.SequenceNumber(row, first));
        // At its last row the statement ends by itself; to cancel it would cost a round trip.
        return goesOn || statement.Rows >= statement.MaxRows;
    }

    private Task ReadWindowAsync(SqlServerSession session, OrderedStatement statement, CancellationToken cancellation)
    {
        var (after, through, limit) = (Of(statement.After), Of(statement.Through), Of(statement.MaxRows));
        var (ids, manifests) = (new SameText(), new SameText());
        return statement.Tags is null
            ? session.ReadAsync(statements.Ordered, Take, cancellation, after, through, limit)
            : session.ReadAsync(statements.OrderedByColumn, Take, cancellation, after, through, List(statement.Tags.Select(Marked)), limit);

        bool Take(SqlDataReader row) => this.Take(row, first: 0, statement, ids, manifests);
    }

    private Task ReadTaggedAsync(SqlServerSession session, OrderedStatement statement, CancellationToken cancellation)
    {
        var (ids, manifests) = (new SameText(), new SameText());
        return tags.RunAsync(
            session,
            () => session.ReadAsync(
                statements.OrderedByTable,
                Take,
                cancellation,
                Of(statement.After),
                Of(statement.Through),
                // A limit of several tags together would stop in the middle of one.
                Of(statement.Tags!.Single()),
                Of(statement.MaxRows)),
            cancellation);

        bool Take(SqlDataReader row) => row.IsDBNull(1)
            ? statement.AddDeleted(row.GetInt64(0)) || statement.Rows >= statement.MaxRows
            : this.Take(row, first: 1, statement, ids, manifests);
    }

    private bool Take(SqlDataReader row, int first, OrderedStatement statement, SameText ids, SameText manifests)
    {
        var goesOn = JournalRow.IsDeleted(row, first)
            ? statement.AddDeleted(row.GetInt64(first))
            : statement.Add(rows.Event(row, first, ids.Of(SqlServerRows.PersistenceId(row, first)), manifests));
        return goesOn || statement.Rows >= statement.MaxRows;
    }

    private string Marked(string tag) => $"{tables.TagSeparator}{tag}{tables.TagSeparator}";
}
