using Npgsql;
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
        JournalKey? last = null;
        var command = await session.CommandAsync(sql.LastKey, cancellation).ConfigureAwait(false);
        await PostgreSqlSession.ReadAsync(command, Take, cancellation).ConfigureAwait(false);
        var (openTransactions, refusal) = await ReadOpenTransactionsAsync(session, cancellation).ConfigureAwait(false);
        return new(last, openTransactions) { OrderRefusal = refusal };

        bool Take(NpgsqlDataReader row)
        {
            last = RowDecoder.Key(row);
            return true;
        }
    }

    internal async Task<KeysResult> ReadKeysAsync(PostgreSqlSession session, KeysRequest request, CancellationToken cancellation)
    {
        var poll = PollFor(request);
        await ReadAboveAsync(session, request, poll, cancellation).ConfigureAwait(false);
        if (request.Gaps.Count > 0)
            await ReadAsync(session, Keys(request).InGaps, Gaps(request), poll.TakeLate, cancellation).ConfigureAwait(false);
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
        await ReadAsync(
            session,
            sql.Rows,
            [Of([.. wanted.Orderings])],
            row => RowDecoder.IsDeleted(row, first: 0) || wanted.Add(decoder.Event(row, first: 0, texts)),
            cancellation).ConfigureAwait(false);
        if (!_csv)
            await tags.ReadAsync(session, wanted.EventsFrom, cancellation).ConfigureAwait(false);
    }

    private static NpgsqlParameter[] Gaps(KeysRequest request) =>
        [Of([.. request.Gaps.Select(gap => gap.First)]), Of([.. request.Gaps.Select(gap => gap.Last)]), Of(request.Limit)];

    private static async Task ReadAsync(
        PostgreSqlSession session, string text, NpgsqlParameter[] parameters, Func<NpgsqlDataReader, bool> take, CancellationToken cancellation)
    {
        var command = await session.CommandAsync(text, cancellation, parameters).ConfigureAwait(false);
        await PostgreSqlSession.ReadAsync(command, take, cancellation).ConfigureAwait(false);
    }

    private KeysPoll<NpgsqlDataReader> PollFor(KeysRequest request)
    {
        var texts = new RowTexts();
        return new(request)
        {
            EventOf = (row, key) => decoder.Event(row, first: 0, texts, new(key.Ordering, key.PersistenceId)),
            TagsOf = _csv && request.WithTags ? row => decoder.Tags(row, 3) : null,
        };
    }

    private KeySql Keys(KeysRequest request) => _csv && request.WithTags ? sql.TaggedKeys : sql.Keys;

    private Task ReadAboveAsync(PostgreSqlSession session, KeysRequest request, KeysPoll<NpgsqlDataReader> poll, CancellationToken cancellation)
    {
        NpgsqlParameter[] parameters = [Of(request.From), Of(request.Limit)];
        return request.Rows is null
            ? ReadAsync(session, Keys(request).From, parameters, poll.TakeKey, cancellation)
            : ReadAsync(session, sql.RowsFrom, parameters, poll.TakeRow, cancellation);
    }

    // If a user gives the sequence a cache while the reader is open, its locks no longer show all open transactions.
    private async Task<(IReadOnlySet<string>? OpenTransactions, string? Refusal)> ReadOpenTransactionsAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        string[]? found = null;
        string? refusal = null;
        await ReadAsync(
            session, PostgreSqlCatalogSql.OpenTransactions, [Of(sql.JournalTable), Of(options.Tables.OrderingColumn)], Take, cancellation).ConfigureAwait(false);
        IReadOnlySet<string>? openTransactions = found is null
            ? await ReadStandbyAsync(session, cancellation).ConfigureAwait(false)
            : new HashSet<string>(found, StringComparer.Ordinal);
        return (openTransactions, refusal);

        bool Take(NpgsqlDataReader row)
        {
            found = row.IsDBNull(0) ? null : row.GetFieldValue<string[]>(0);
            if (!row.IsDBNull(1) && !options.AllowCachedSequence)
                refusal = PostgreSqlProbe.CacheRefusal(row.GetString(2), row.GetInt64(1));
            return true;
        }
    }

    private async Task<IReadOnlySet<string>?> ReadStandbyAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        IReadOnlySet<string>? openTransactions = null;
        await ReadAsync(session, PostgreSqlCatalogSql.Standby, [], Take, cancellation).ConfigureAwait(false);
        return openTransactions;

        bool Take(NpgsqlDataReader row)
        {
            openTransactions = standby.Observe(new(row.GetInt64(0), row.GetInt64(1), row.GetInt64(2), row.GetBoolean(3)));
            return true;
        }
    }

    private async Task<long?> ReadLastIssuedAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        var command = await session.CommandAsync(
            PostgreSqlCatalogSql.ReadableSequence, cancellation, Of(sql.JournalTable), Of(options.Tables.OrderingColumn)).ConfigureAwait(false);
        if (await PostgreSqlSession.ScalarAsync(command, cancellation).ConfigureAwait(false) is not string sequence)
            return null;
        command = await session.CommandAsync(PostgreSqlCatalogSql.LastIssued(sequence), cancellation).ConfigureAwait(false);
        return await PostgreSqlSession.ScalarAsync(command, cancellation).ConfigureAwait(false) as long?;
    }
}
