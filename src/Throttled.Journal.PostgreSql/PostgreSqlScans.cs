using Npgsql;
using Throttled.Journal.Sql;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>Runs the statements of queries: pages of ids, events in the order of the journal, persistence ids.</summary>
internal sealed class PostgreSqlScans(
    JournalTables tables, PostgreSqlStatements statements, PostgreSqlRows rows, PostgreSqlTags tags)
{
    private readonly bool _csv = tables.TagMode == TagMode.Csv;

    internal async Task ReadPagesAsync(PostgreSqlSession session, PageStatement statement, CancellationToken cancellation)
    {
        var command = await session.CommandAsync(statements.Pages, cancellation, Members(statement)).ConfigureAwait(false);
        var texts = new RowTexts();
        await PostgreSqlSession.ReadAsync(command, Take, cancellation).ConfigureAwait(false);
        if (!_csv)
            await tags.ReadAsync(session, statement.EventsFrom, cancellation).ConfigureAwait(false);

        bool Take(NpgsqlDataReader row)
        {
            var member = (int)row.GetInt64(0) - 1;
            // Columns in their order: going back in a row costs the driver a new search.
            var ordering = row.GetInt64(1);
            var goesOn = JournalRow.IsDeleted(row, first: 1)
                ? statement.AddDeleted(member, JournalRow.SequenceNumber(row, first: 1))
                : statement.Add(member, rows.Event(row, first: 1, texts, new(ordering, statement.Asks[member].PersistenceId)));
            // At its last row the statement ends by itself; to cancel it would cost a connection.
            return goesOn || statement.Rows >= statement.MaxRows;
        }
    }

    internal async Task ReadOrderedAsync(PostgreSqlSession session, OrderedStatement statement, CancellationToken cancellation)
    {
        if (_csv)
            await ReadWindowAsync(session, statement, cancellation).ConfigureAwait(false);
        else
        {
            await (statement.Tags is null
                ? ReadWindowAsync(session, statement, cancellation)
                : ReadTaggedAsync(session, statement, cancellation)).ConfigureAwait(false);
            await (statement.Tags is null
                ? tags.ReadAsync(session, statement.EventsFrom, cancellation)
                : tags.ReadAllAsync(session, statement, cancellation)).ConfigureAwait(false);
        }
    }

    internal async Task ReadFromEndAsync(PostgreSqlSession session, FromEndStatement statement, CancellationToken cancellation)
    {
        var (below, limit) = (Of(statement.Below), Of(statement.MaxRows));
        if (statement.Tag is not { } tag || _csv)
            await ReadFromEndAsync(session, statement, statements.FromEnd, [below, limit], cancellation).ConfigureAwait(false);
        else
        {
            await tags.RunAsync(
                session, () => ReadFromEndAsync(session, statement, statements.FromEndByTable, [below, Of(tag), limit], cancellation), cancellation)
                .ConfigureAwait(false);
        }
    }

    internal async Task ReadIdsAsync(PostgreSqlSession session, IdsStatement statement, CancellationToken cancellation)
    {
        var command = statement.After is { } after
            ? await session.CommandAsync(statements.Ids, cancellation, Of(after), Of(statement.Limit)).ConfigureAwait(false)
            : await session.CommandAsync(statements.FirstIds, cancellation, Of(statement.Limit)).ConfigureAwait(false);
        var count = 0;
        await PostgreSqlSession.ReadAsync(
            command,
            // At its last row the statement ends by itself; to cancel it would cost a connection.
            row => ++count >= statement.Limit | statement.Add(row.GetString(0), hasEvents: row.GetBoolean(1)),
            cancellation).ConfigureAwait(false);
    }

    private async Task ReadFromEndAsync(
        PostgreSqlSession session, FromEndStatement statement, string text, NpgsqlParameter[] parameters, CancellationToken cancellation)
    {
        var command = await session.CommandAsync(text, cancellation, parameters).ConfigureAwait(false);
        await PostgreSqlSession.ReadAsync(command, Take, cancellation).ConfigureAwait(false);

        bool Take(NpgsqlDataReader row)
        {
            var ordering = row.GetInt64(0);
            var id = row.IsDBNull(1) || JournalRow.IsDeleted(row, first: 0) ? null : row.GetString(2);
            statement.Add(ordering, id, statement.Tag is null ? [] : _csv ? rows.Tags(row, 3) : [row.GetString(3)]);
            // Read to the last row: stopping a reader early would cost the connection.
            return true;
        }
    }

    private static NpgsqlParameter[] Members(PageStatement statement)
    {
        var asks = statement.Asks;
        var (ids, limits) = (new string[asks.Count], new int[asks.Count]);
        var (from, to) = (new long[asks.Count], new long[asks.Count]);
        for (var i = 0; i < asks.Count; i++)
            (ids[i], from[i], to[i], limits[i]) = (asks[i].PersistenceId, asks[i].Range.From, asks[i].Range.To, asks[i].Limit);
        return [Of(ids), Of(from), Of(to), Of(limits), Of(statement.MaxRows)];
    }

    private async Task ReadWindowAsync(PostgreSqlSession session, OrderedStatement statement, CancellationToken cancellation)
    {
        var (after, through, limit) = (Of(statement.After), Of(statement.Through), Of(statement.MaxRows));
        var command = statement.Tags is null
            ? await session.CommandAsync(statements.Ordered, cancellation, after, through, limit).ConfigureAwait(false)
            : await session.CommandAsync(
                statements.OrderedByColumn, cancellation, after, through, Of(Patterns(statement.Tags)), limit).ConfigureAwait(false);
        var texts = new RowTexts();
        await PostgreSqlSession.ReadAsync(
            command, row => Take(row, first: 0, row.GetInt64(0), statement, texts), cancellation).ConfigureAwait(false);
    }

    private Task ReadTaggedAsync(PostgreSqlSession session, OrderedStatement statement, CancellationToken cancellation) => tags.RunAsync(
        session,
        async () =>
        {
            var command = await session.CommandAsync(
                statements.OrderedByTable,
                cancellation,
                Of(statement.After),
                Of(statement.Through),
                // A limit of several tags together would stop in the middle of one.
                Of(statement.Tags!.Single()),
                Of(statement.MaxRows)).ConfigureAwait(false);
            var texts = new RowTexts();
            await PostgreSqlSession.ReadAsync(command, row => TakeTagged(row, statement, texts), cancellation).ConfigureAwait(false);
        },
        cancellation);

    private bool TakeTagged(NpgsqlDataReader row, OrderedStatement statement, RowTexts texts)
    {
        var ordering = row.GetInt64(0);
        return row.IsDBNull(1)
            ? statement.AddDeleted(ordering) || statement.Rows >= statement.MaxRows
            : Take(row, first: 1, ordering, statement, texts);
    }

    private bool Take(NpgsqlDataReader row, int first, long ordering, OrderedStatement statement, RowTexts texts)
    {
        var goesOn = JournalRow.IsDeleted(row, first)
            ? statement.AddDeleted(ordering)
            : statement.Add(rows.Event(row, first, texts, new(ordering, PersistenceId: null)));
        return goesOn || statement.Rows >= statement.MaxRows;
    }

    // What is special in a pattern stands for itself behind a backslash, the separator too.
    private string[] Patterns(IReadOnlyList<string> wanted) =>
        [.. wanted.Select(tag => $"%{Plain($"{tables.TagSeparator}{tag}{tables.TagSeparator}")}%")];

    private static string Plain(string text) => text
        .Replace("\\", "\\\\", StringComparison.Ordinal)
        .Replace("%", "\\%", StringComparison.Ordinal)
        .Replace("_", "\\_", StringComparison.Ordinal);
}
