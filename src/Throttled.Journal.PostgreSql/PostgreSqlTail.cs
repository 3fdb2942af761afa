using Npgsql;
using Throttled.Journal.Sql;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>
/// Runs the tail's statements. Those of one poll are run one after the other: each sees what was committed before it, and the
/// open transactions are collected after the keys.
/// </summary>
internal sealed class PostgreSqlTail(
    JournalOptions options, PostgreSqlStatements statements, PostgreSqlRows rows, PostgreSqlTags tags, StandbyHolders standby)
{
    private readonly bool _csv = options.Tables.TagMode == TagMode.Csv;

    internal async Task<TailAnchor> ReadAnchorAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        JournalKey? last = null;
        var command = await session.CommandAsync(statements.LastKey, cancellation).ConfigureAwait(false);
        await PostgreSqlSession.ReadAsync(command, Take, cancellation).ConfigureAwait(false);
        var (holders, refusal) = await ReadHoldersAsync(session, cancellation).ConfigureAwait(false);
        return new(last, holders) { OrderRefusal = refusal };

        bool Take(NpgsqlDataReader row)
        {
            last = JournalRow.Key(row);
            return true;
        }
    }

    internal async Task<KeysFound> ReadKeysAsync(PostgreSqlSession session, KeysQuery query, CancellationToken cancellation)
    {
        var look = LookFor(query);
        await ReadAboveAsync(session, query, look, cancellation).ConfigureAwait(false);
        if (query.Gaps.Count > 0)
            await ReadAsync(session, Keys(query).InGaps, Gaps(query), look.TakeLate, cancellation).ConfigureAwait(false);
        if (query.WithTags && !_csv)
            await tags.ReadAsync(session, look.Untagged, look.Tags, cancellation).ConfigureAwait(false);
        if (query.Rows is { } wanted && !_csv)
            await tags.ReadAsync(session, wanted.EventsFrom, cancellation).ConfigureAwait(false);
        var (holders, refusal) = query.WithHolders ? await ReadHoldersAsync(session, cancellation).ConfigureAwait(false) : default;
        var last = look.IsPositionGone ? await ReadLastGivenOutAsync(session, cancellation).ConfigureAwait(false) : null;
        return look.Found(holders, last, session.Server) with { OrderRefusal = refusal };
    }

    internal async Task ReadRowsAsync(PostgreSqlSession session, RowsStatement statement, CancellationToken cancellation)
    {
        var texts = new RowTexts();
        await ReadAsync(
            session,
            statements.Rows,
            [Of([.. statement.Orderings])],
            row => JournalRow.IsDeleted(row, first: 0) || statement.Add(rows.Event(row, first: 0, texts)),
            cancellation).ConfigureAwait(false);
        if (!_csv)
            await tags.ReadAsync(session, statement.EventsFrom, cancellation).ConfigureAwait(false);
    }

    private static NpgsqlParameter[] Gaps(KeysQuery query) =>
        [Of([.. query.Gaps.Select(gap => gap.First)]), Of([.. query.Gaps.Select(gap => gap.Last)]), Of(query.Limit)];

    private static async Task ReadAsync(
        PostgreSqlSession session, string text, NpgsqlParameter[] parameters, Func<NpgsqlDataReader, bool> take, CancellationToken cancellation)
    {
        var command = await session.CommandAsync(text, cancellation, parameters).ConfigureAwait(false);
        await PostgreSqlSession.ReadAsync(command, take, cancellation).ConfigureAwait(false);
    }

    private KeysLook<NpgsqlDataReader> LookFor(KeysQuery query)
    {
        var texts = new RowTexts();
        return new(query)
        {
            EventOf = (row, key) => rows.Event(row, first: 0, texts, new(key.Ordering, key.PersistenceId)),
            TagsOf = _csv && query.WithTags ? row => rows.Tags(row, 3) : null,
        };
    }

    private KeyStatements Keys(KeysQuery query) => _csv && query.WithTags ? statements.TaggedKeys : statements.Keys;

    private Task ReadAboveAsync(PostgreSqlSession session, KeysQuery query, KeysLook<NpgsqlDataReader> look, CancellationToken cancellation)
    {
        NpgsqlParameter[] parameters = [Of(query.From), Of(query.Limit)];
        return query.Rows is null
            ? ReadAsync(session, Keys(query).From, parameters, look.TakeKey, cancellation)
            : ReadAsync(session, statements.RowsFrom, parameters, look.TakeRow, cancellation);
    }

    // Whoever gives the sequence a cache while the reader is open takes the evidence away.
    private async Task<(IReadOnlySet<string>? Holders, string? Refusal)> ReadHoldersAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        string[]? found = null;
        string? refusal = null;
        await ReadAsync(
            session, PostgreSqlServerStatements.Holders, [Of(statements.JournalTable), Of(options.Tables.OrderingColumn)], Take, cancellation).ConfigureAwait(false);
        IReadOnlySet<string>? holders = found is null
            ? await ReadStandbyAsync(session, cancellation).ConfigureAwait(false)
            : new HashSet<string>(found, StringComparer.Ordinal);
        return (holders, refusal);

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
        IReadOnlySet<string>? holders = null;
        await ReadAsync(session, PostgreSqlServerStatements.Standby, [], Take, cancellation).ConfigureAwait(false);
        return holders;

        bool Take(NpgsqlDataReader row)
        {
            holders = standby.Look(new(row.GetInt64(0), row.GetInt64(1), row.GetInt64(2), row.GetBoolean(3)));
            return true;
        }
    }

    private async Task<long?> ReadLastGivenOutAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        var command = await session.CommandAsync(
            PostgreSqlServerStatements.ReadableSequence, cancellation, Of(statements.JournalTable), Of(options.Tables.OrderingColumn)).ConfigureAwait(false);
        if (await PostgreSqlSession.ScalarAsync(command, cancellation).ConfigureAwait(false) is not string sequence)
            return null;
        command = await session.CommandAsync(PostgreSqlServerStatements.LastGivenOut(sequence), cancellation).ConfigureAwait(false);
        return await PostgreSqlSession.ScalarAsync(command, cancellation).ConfigureAwait(false) as long?;
    }
}
