using System.Data.Common;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

/// <summary>
/// Runs the tail's statements. The statements of one poll run one after the other. Each sees what was committed before it, and
/// the open transactions are read after the keys.
/// </summary>
internal sealed class SqlServerPoll(
    JournalTables tables, SqlServerJournalSql sql, SqlServerRowDecoder decoder, SqlServerTags tags, SqlServerOpenTransactions openTransactions)
{
    private readonly bool _csv = tables.TagMode == TagMode.Csv;

    internal async Task<TailStart> ReadStartAsync(SqlServerSession session, CancellationToken cancellation)
    {
        var last = await session.RowAsync<JournalKey?>(sql.LastKey, row => RowDecoder.Key(row), cancellation).ConfigureAwait(false);
        return new(last, await openTransactions.ReadAsync(session, cancellation).ConfigureAwait(false));
    }

    internal async Task<KeysResult> ReadKeysAsync(SqlServerSession session, KeysRequest request, CancellationToken cancellation)
    {
        var poll = PollFor(request);
        await ReadAboveAsync(session, request, poll, cancellation).ConfigureAwait(false);
        if (request.Gaps.Count > 0)
            await session.ReadAsync(Keys(request).InGaps, poll.TakeLate, cancellation, List(request.Gaps), Of(request.Limit)).ConfigureAwait(false);
        if (request.WithTags && !_csv)
            await tags.ReadAsync(session, poll.Untagged, poll.Tags, cancellation).ConfigureAwait(false);
        if (request.Rows is { } wanted && !_csv)
            await tags.ReadAsync(session, wanted.EventsFrom, cancellation).ConfigureAwait(false);
        var mayCommit = request.WithOpenTransactions ? await openTransactions.ReadAsync(session, cancellation).ConfigureAwait(false) : null;
        return poll.ToResult(
            mayCommit, poll.IsPositionGone ? await ReadLastIssuedAsync(session, cancellation).ConfigureAwait(false) : null, session.Server);
    }

    internal async Task ReadRowsAsync(SqlServerSession session, TailRows wanted, CancellationToken cancellation)
    {
        var (ids, manifests) = (new RepeatedText(), new RepeatedText());
        await session.ReadAsync(sql.Rows, Take, cancellation, List(wanted.Orderings)).ConfigureAwait(false);
        if (!_csv)
            await tags.ReadAsync(session, wanted.EventsFrom, cancellation).ConfigureAwait(false);

        bool Take(DbDataReader row) => RowDecoder.IsDeleted(row, first: 0)
            || wanted.Add(decoder.Event(row, first: 0, ids.Of(SqlServerRowDecoder.PersistenceId(row, first: 0)), manifests));
    }

    private KeysPoll<DbDataReader> PollFor(KeysRequest request)
    {
        var manifests = new RepeatedText();
        return new(request)
        {
            EventOf = (row, key) => decoder.Event(row, first: 0, key.PersistenceId, manifests),
            TagsOf = _csv && request.WithTags ? row => decoder.Tags(row, 3) : null,
        };
    }

    private KeySql Keys(KeysRequest request) => _csv && request.WithTags ? sql.TaggedKeys : sql.Keys;

    private Task ReadAboveAsync(SqlServerSession session, KeysRequest request, KeysPoll<DbDataReader> poll, CancellationToken cancellation) =>
        request.Rows is null
            ? session.ReadAsync(Keys(request).From, poll.TakeKey, cancellation, Of(request.From), Of(request.Limit))
            : session.ReadAsync(sql.RowsFrom, poll.TakeRow, cancellation, Of(request.From), Of(request.Limit));

    private async Task<long?> ReadLastIssuedAsync(SqlServerSession session, CancellationToken cancellation) =>
        await session.ScalarAsync(
            SqlServerCatalogSql.LastIssued,
            cancellation,
            Of(sql.JournalTable),
            Of(tables.OrderingColumn)).ConfigureAwait(false) as long?;
}
