using Npgsql;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>Runs the statements of queries: pages of ids, events in journal order, persistence ids.</summary>
internal sealed class PostgreSqlScans(
    JournalTables tables, PostgreSqlJournalSql sql, PostgreSqlRowDecoder decoder, PostgreSqlTags tags)
{
    private readonly bool _csv = tables.TagMode == TagMode.Csv;

    internal async Task ReadPagesAsync(PostgreSqlSession session, ByIdRows rows, CancellationToken cancellation)
    {
        var command = await session.CommandAsync(sql.Pages, cancellation, Members(rows)).ConfigureAwait(false);
        var texts = new RowTexts();
        await PostgreSqlSession.ReadAsync(command, Take, cancellation).ConfigureAwait(false);
        if (!_csv)
            await tags.ReadAsync(session, rows.EventsFrom, cancellation).ConfigureAwait(false);

        bool Take(NpgsqlDataReader row)
        {
            var member = (int)row.GetInt64(0) - 1;
            // Read the columns in their order: going back in a row costs the driver a new search.
            var ordering = row.GetInt64(1);
            var goesOn = RowDecoder.IsDeleted(row, first: 1)
                ? rows.AddDeleted(member, RowDecoder.SequenceNumber(row, first: 1))
                : rows.Add(member, decoder.Event(row, first: 1, texts, new(ordering, rows.Requests[member].PersistenceId)));
            // The statement ends by itself at its last row. A cancel would cost a connection.
            return goesOn || rows.Rows >= rows.MaxRows;
        }
    }

    internal async Task ReadOrderedAsync(PostgreSqlSession session, OrderedRows rows, CancellationToken cancellation)
    {
        if (_csv)
            await ReadWindowAsync(session, rows, cancellation).ConfigureAwait(false);
        else
        {
            await (rows.Tags is null
                ? ReadWindowAsync(session, rows, cancellation)
                : ReadTaggedAsync(session, rows, cancellation)).ConfigureAwait(false);
            await (rows.Tags is null
                ? tags.ReadAsync(session, rows.EventsFrom, cancellation)
                : tags.ReadAllAsync(session, rows, cancellation)).ConfigureAwait(false);
        }
    }

    internal async Task ReadFromEndAsync(PostgreSqlSession session, FromEndRows rows, CancellationToken cancellation)
    {
        var (below, limit) = (Of(rows.Below), Of(rows.MaxRows));
        if (rows.Tag is not { } tag || _csv)
            await ReadFromEndAsync(session, rows, sql.FromEnd, [below, limit], cancellation).ConfigureAwait(false);
        else
        {
            await tags.RunAsync(
                session, () => ReadFromEndAsync(session, rows, sql.FromEndByTable, [below, Of(tag), limit], cancellation), cancellation)
                .ConfigureAwait(false);
        }
    }

    internal async Task ReadIdsAsync(PostgreSqlSession session, IdsRows rows, CancellationToken cancellation)
    {
        var command = rows.After is { } after
            ? await session.CommandAsync(sql.Ids, cancellation, Of(after), Of(rows.Limit)).ConfigureAwait(false)
            : await session.CommandAsync(sql.FirstIds, cancellation, Of(rows.Limit)).ConfigureAwait(false);
        var count = 0;
        await PostgreSqlSession.ReadAsync(
            command,
            // The statement ends by itself at its last row. A cancel would cost a connection.
            row => ++count >= rows.Limit | rows.Add(row.GetString(0), hasEvents: row.GetBoolean(1)),
            cancellation).ConfigureAwait(false);
    }

    private async Task ReadFromEndAsync(
        PostgreSqlSession session, FromEndRows rows, string text, NpgsqlParameter[] parameters, CancellationToken cancellation)
    {
        var command = await session.CommandAsync(text, cancellation, parameters).ConfigureAwait(false);
        await PostgreSqlSession.ReadAsync(command, Take, cancellation).ConfigureAwait(false);

        bool Take(NpgsqlDataReader row)
        {
            var ordering = row.GetInt64(0);
            var id = row.IsDBNull(1) || RowDecoder.IsDeleted(row, first: 0) ? null : row.GetString(2);
            rows.Add(ordering, id, rows.Tag is null ? [] : _csv ? decoder.Tags(row, 3) : [row.GetString(3)]);
            // Read to the last row: an early stop would cost the connection.
            return true;
        }
    }

    private static NpgsqlParameter[] Members(ByIdRows rows)
    {
        var requests = rows.Requests;
        var (ids, limits) = (new string[requests.Count], new int[requests.Count]);
        var (from, to) = (new long[requests.Count], new long[requests.Count]);
        for (var i = 0; i < requests.Count; i++)
            (ids[i], from[i], to[i], limits[i]) = (requests[i].PersistenceId, requests[i].Range.From, requests[i].Range.To, requests[i].Limit);
        return [Of(ids), Of(from), Of(to), Of(limits), Of(rows.MaxRows)];
    }

    private async Task ReadWindowAsync(PostgreSqlSession session, OrderedRows rows, CancellationToken cancellation)
    {
        var (after, upTo, limit) = (Of(rows.After), Of(rows.UpTo), Of(rows.MaxRows));
        var command = rows.Tags is null
            ? await session.CommandAsync(sql.Ordered, cancellation, after, upTo, limit).ConfigureAwait(false)
            : await session.CommandAsync(
                sql.OrderedByColumn, cancellation, after, upTo, Of(Patterns(rows.Tags)), limit).ConfigureAwait(false);
        var texts = new RowTexts();
        await PostgreSqlSession.ReadAsync(
            command, row => Take(row, first: 0, row.GetInt64(0), rows, texts), cancellation).ConfigureAwait(false);
    }

    private Task ReadTaggedAsync(PostgreSqlSession session, OrderedRows rows, CancellationToken cancellation) => tags.RunAsync(
        session,
        async () =>
        {
            var command = await session.CommandAsync(
                sql.OrderedByTable,
                cancellation,
                Of(rows.After),
                Of(rows.UpTo),
                // A limit for several tags together could stop in the middle of one tag.
                Of(rows.Tags!.Single()),
                Of(rows.MaxRows)).ConfigureAwait(false);
            var texts = new RowTexts();
            await PostgreSqlSession.ReadAsync(command, row => TakeTagged(row, rows, texts), cancellation).ConfigureAwait(false);
        },
        cancellation);

    private bool TakeTagged(NpgsqlDataReader row, OrderedRows rows, RowTexts texts)
    {
        var ordering = row.GetInt64(0);
        return row.IsDBNull(1)
            ? rows.AddDeleted(ordering) || rows.Rows >= rows.MaxRows
            : Take(row, first: 1, ordering, rows, texts);
    }

    private bool Take(NpgsqlDataReader row, int first, long ordering, OrderedRows rows, RowTexts texts)
    {
        var goesOn = RowDecoder.IsDeleted(row, first)
            ? rows.AddDeleted(ordering)
            : rows.Add(decoder.Event(row, first, texts, new(ordering, PersistenceId: null)));
        return goesOn || rows.Rows >= rows.MaxRows;
    }

    // A backslash escapes the special characters of a pattern, also in the separator.
    private string[] Patterns(IReadOnlyList<string> wanted) =>
        [.. wanted.Select(tag => $"%{Plain($"{tables.TagSeparator}{tag}{tables.TagSeparator}")}%")];

    private static string Plain(string text) => text
        .Replace("\\", "\\\\", StringComparison.Ordinal)
        .Replace("%", "\\%", StringComparison.Ordinal)
        .Replace("_", "\\_", StringComparison.Ordinal);
}
