using System.Data.Common;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>
/// Runs the tail's statements. The statements of one poll run one after the other. Each sees what was committed before it, and
/// the open transactions are read after the keys.
/// </summary>
internal sealed class PostgreSqlPoll(
    JournalOptions options, PostgreSqlJournalSql sql, PostgreSqlRowDecoder decoder, PostgreSqlTags tags, StandbyTransactions standby)
{
    private readonly bool _csv = options.Tables.TagMode == TagMode.Csv;

    internal async Task<TailStart> ReadStartAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        var last = await session.RowAsync<JournalKey?>(sql.LastKey, row => RowDecoder.Key(row), cancellation).ConfigureAwait(false);
        var (openTransactions, refusal) = await ReadOpenTransactionsAsync(session, cancellation).ConfigureAwait(false);
        return new(last, openTransactions) { OrderRefusal = refusal };
    }

    internal async Task<KeysResult> ReadKeysAsync(PostgreSqlSession session, KeysRequest request, CancellationToken cancellation)
    {
        var poll = PollFor(request);
        await ReadAboveAsync(session, request, poll, cancellation).ConfigureAwait(false);
        if (request.Gaps.Count > 0)
            await session.ReadAsync(Keys(request).InGaps, poll.TakeLate, cancellation, Gaps(request)).ConfigureAwait(false);
        if (request.WithTags && !_csv)
            await tags.ReadAsync(session, poll.Untagged, poll.Tags, cancellation).ConfigureAwait(false);
        if (request.Rows is { } wanted && !_csv)
            await tags.ReadAsync(session, wanted.EventsFrom, cancellation).ConfigureAwait(false);
        var (openTransactions, refusal) = request.WithOpenTransactions ? await ReadOpenTransactionsAsync(session, cancellation).ConfigureAwait(false) : default;
        var last = poll.IsPositionGone ? await ReadLastIssuedAsync(session, cancellation).ConfigureAwait(false) : null;
        return poll.ToResult(openTransactions, last, session.Server) with { OrderRefusal = refusal };
    }

    internal async Task ReadRowsAsync(PostgreSqlSession session, TailRows wanted, CancellationToken cancellation)
    {
        var texts = new RowTexts();
        await session.ReadAsync(
            sql.Rows,
            row => RowDecoder.IsDeleted(row, first: 0) || wanted.Add(decoder.Event(row, first: 0, texts)),
            cancellation,
            Of([.. wanted.Orderings])).ConfigureAwait(false);
        if (!_csv)
            await tags.ReadAsync(session, wanted.EventsFrom, cancellation).ConfigureAwait(false);
    }

    private static DbParameter[] Gaps(KeysRequest request) =>
        [Of([.. request.Gaps.Select(gap => gap.First)]), Of([.. request.Gaps.Select(gap => gap.Last)]), Of(request.Limit)];

    private KeysPoll<DbDataReader> PollFor(KeysRequest request)
    {
        var texts = new RowTexts();
        return new(request)
        {
            EventOf = (row, key) => decoder.Event(row, first: 0, texts, new(key.Ordering, key.PersistenceId)),
            TagsOf = _csv && request.WithTags ? row => decoder.Tags(row, 3) : null,
        };
    }

    private KeySql Keys(KeysRequest request) => _csv && request.WithTags ? sql.TaggedKeys : sql.Keys;

    private Task ReadAboveAsync(PostgreSqlSession session, KeysRequest request, KeysPoll<DbDataReader> poll, CancellationToken cancellation) =>
        request.Rows is null
            ? session.ReadAsync(Keys(request).From, poll.TakeKey, cancellation, Of(request.From), Of(request.Limit))
            : session.ReadAsync(sql.RowsFrom, poll.TakeRow, cancellation, Of(request.From), Of(request.Limit));

    // If a user gives the sequence a cache while the reader is open, its locks no longer show all open transactions.
    private async Task<(IReadOnlySet<string>? Holders, string? Refusal)> ReadOpenTransactionsAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        string[]? found = null;
        string? refusal = null;
        await session.ReadAsync(
            PostgreSqlCatalogSql.Holders, Take, cancellation, Of(sql.JournalTable), Of(options.Tables.OrderingColumn)).ConfigureAwait(false);
        IReadOnlySet<string>? openTransactions = found is null
            ? await ReadStandbyAsync(session, cancellation).ConfigureAwait(false)
            : new HashSet<string>(found, StringComparer.Ordinal);
        return (openTransactions, refusal);

        bool Take(DbDataReader row)
        {
            found = row.IsDBNull(0) ? null : row.GetFieldValue<string[]>(0);
            if (!row.IsDBNull(1) && !options.AllowCachedSequence)
                refusal = PostgreSqlProbe.CacheRefusal(row.GetString(2), row.GetInt64(1));
            return true;
        }
    }

    private Task<IReadOnlySet<string>?> ReadStandbyAsync(PostgreSqlSession session, CancellationToken cancellation) => session.RowAsync(
        PostgreSqlCatalogSql.Standby,
        row => standby.Observe(new(row.GetInt64(0), row.GetInt64(1), row.GetInt64(2), row.GetBoolean(3))),
        cancellation);

    private async Task<long?> ReadLastIssuedAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        var sequence = await session.ScalarAsync(
            PostgreSqlCatalogSql.ReadableSequence, cancellation, Of(sql.JournalTable), Of(options.Tables.OrderingColumn)).ConfigureAwait(false) as string;
        return sequence is null
            ? null
            : await session.ScalarAsync(PostgreSqlCatalogSql.LastIssued(sequence), cancellation).ConfigureAwait(false) as long?;
    }
}
