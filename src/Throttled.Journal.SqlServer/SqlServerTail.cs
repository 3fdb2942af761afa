using Microsoft.Data.SqlClient;
using Throttled.Journal.Sql;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

/// <summary>
/// Runs the tail's statements. Those of one poll are run one after the other: each sees what was committed before it, and the
/// open transactions are collected after the keys.
/// </summary>
internal sealed class SqlServerTail(
    JournalTables tables, SqlServerStatements statements, SqlServerRows rows, SqlServerTags tags, SqlServerHolders holders)
{
    private readonly bool _csv = tables.TagMode == TagMode.Csv;

    internal async Task<TailAnchor> ReadAnchorAsync(SqlServerSession session, CancellationToken cancellation)
    {
        JournalKey? last = null;
        await session.ReadAsync(statements.LastKey, Take, cancellation).ConfigureAwait(false);
        return new(last, await holders.ReadAsync(session, cancellation).ConfigureAwait(false));

        bool Take(SqlDataReader row)
        {
            last = JournalRow.Key(row);
            return true;
        }
    }

    internal async Task<KeysFound> ReadKeysAsync(SqlServerSession session, KeysQuery query, CancellationToken cancellation)
    {
        var look = LookFor(query);
        await ReadAboveAsync(session, query, look, cancellation).ConfigureAwait(false);
        if (query.Gaps.Count > 0)
            await session.ReadAsync(Keys(query).InGaps, look.TakeLate, cancellation, List(query.Gaps), Of(query.Limit)).ConfigureAwait(false);
        if (query.WithTags && !_csv)
            await tags.ReadAsync(session, look.Untagged, look.Tags, cancellation).ConfigureAwait(false);
        if (query.Rows is { } wanted && !_csv)
            await tags.ReadAsync(session, wanted.EventsFrom, cancellation).ConfigureAwait(false);
        var mayCommit = query.WithHolders ? await holders.ReadAsync(session, cancellation).ConfigureAwait(false) : null;
        return look.Found(
            mayCommit, look.IsPositionGone ? await ReadLastGivenOutAsync(session, cancellation).ConfigureAwait(false) : null, session.Server);
    }

    internal async Task ReadRowsAsync(SqlServerSession session, RowsStatement statement, CancellationToken cancellation)
    {
        var (ids, manifests) = (new SameText(), new SameText());
        await session.ReadAsync(statements.Rows, Take, cancellation, List(statement.Orderings)).ConfigureAwait(false);
        if (!_csv)
            await tags.ReadAsync(session, statement.EventsFrom, cancellation).ConfigureAwait(false);

        bool Take(SqlDataReader row) => JournalRow.IsDeleted(row, first: 0)
            || statement.Add(rows.Event(row, first: 0, ids.Of(SqlServerRows.PersistenceId(row, first: 0)), manifests));
    }

    private KeysLook<SqlDataReader> LookFor(KeysQuery query)
    {
        var manifests = new SameText();
        return new(query)
        {
            EventOf = (row, key) => rows.Event(row, first: 0, key.PersistenceId, manifests),
            TagsOf = _csv && query.WithTags ? row => rows.Tags(row, 3) : null,
        };
    }

    private KeyStatements Keys(KeysQuery query) => _csv && query.WithTags ? statements.TaggedKeys : statements.Keys;

    private Task ReadAboveAsync(SqlServerSession session, KeysQuery query, KeysLook<SqlDataReader> look, CancellationToken cancellation) =>
        query.Rows is null
            ? session.ReadAsync(Keys(query).From, look.TakeKey, cancellation, Of(query.From), Of(query.Limit))
            : session.ReadAsync(statements.RowsFrom, look.TakeRow, cancellation, Of(query.From), Of(query.Limit));

    private async Task<long?> ReadLastGivenOutAsync(SqlServerSession session, CancellationToken cancellation) =>
        await session.ScalarAsync(
            SqlServerServerStatements.LastGivenOut,
            cancellation,
            Of(statements.JournalTable),
            Of(tables.OrderingColumn)).ConfigureAwait(false) as long?;
}
