using Throttled.Journal.Rows;

namespace Throttled.Journal.Sqlite;

/// <summary>The reads of the tail's polls. Nothing can still commit below what they find. Thread-safe; the sessions are not.</summary>
internal sealed class SqlitePoll(JournalTables tables, SqliteJournalSql sql, SqliteRowDecoder decoder)
{
    private static readonly IReadOnlySet<string> NoTransactions = new HashSet<string>();

    private readonly SqliteNumbering _numbering = new(tables);

    internal TailStart Start(SqliteSession session) =>
        new(session.Statement(sql.LastKey).First<JournalKey?>(static row => SqliteRowDecoder.Key(row)), NoTransactions);

    internal KeysResult Keys(SqliteSession session, KeysRequest request)
    {
        KeysResult? result = null;
        session.InTransaction(() => result = request.Rows is null ? ReadKeys(session, request) : ReadKeysWithRows(session, request, request.Rows));
        return result!;
    }

    internal void Rows(SqliteSession session, TailRows wanted) => session.InTransaction(() =>
    {
        var statement = session.Statement(sql.Row);
        var more = true;
        for (var i = 0; i < wanted.Orderings.Count && more; i++)
        {
            if (statement.Bind(1, wanted.Orderings[i]).Step() && !SqliteRowDecoder.IsDeleted(statement))
                more = wanted.Add(decoder.Event(statement));
            statement.Reset();
        }
        decoder.ReadTags(session, wanted.EventsFrom);
    });

    private KeysResult ReadKeys(SqliteSession session, KeysRequest request)
    {
        if (request.WithTags && tables.TagMode == TagMode.Csv)
            return ReadKeysWithTags(session, request);
        var keys = new List<JournalKey>();
        var statement = session.Statement(sql.KeysFrom).Bind(1, request.From).Bind(2, request.Limit);
        while (statement.Step())
            keys.Add(SqliteRowDecoder.Key(statement));
        statement.Reset();
        var result = ResultOf(session, request, keys);
        return request.WithTags && keys is [.., var last] && last.Ordering > request.From
            ? result with { Tags = decoder.TagsBetween(session, new(request.From + 1, last.Ordering)) }
            : result;
    }

    private KeysResult ReadKeysWithTags(SqliteSession session, KeysRequest request)
    {
        var keys = new List<JournalKey>();
        var tags = new Dictionary<long, IReadOnlyList<string>>();
        var statement = session.Statement(sql.KeysFromWithTags).Bind(1, request.From).Bind(2, request.Limit);
        while (statement.Step())
        {
            var key = SqliteRowDecoder.Key(statement);
            keys.Add(key);
            // A value that is not text has no tags here. As with the key, the query that reads the row fails on it.
            if (key.Ordering > request.From && statement.IsText(3) && decoder.Tags(statement, 3) is { Count: > 0 } some)
                tags.Add(key.Ordering, some);
        }
        statement.Reset();
        return ResultOf(session, request, keys) with { Tags = tags };
    }

    private KeysResult ReadKeysWithRows(SqliteSession session, KeysRequest request, TailRows into)
    {
        var keys = new List<JournalKey>();
        var statement = session.Statement(sql.RowsFrom).Bind(1, request.From).Bind(2, request.Limit);
        var more = true;
        while (more && statement.Step())
        {
            var key = SqliteRowDecoder.Key(statement, id: 2);
            keys.Add(key);
            if (key.Ordering > request.From && !SqliteRowDecoder.IsDeleted(statement))
                more = into.Add(decoder.Event(statement));
        }
        statement.Reset();
        decoder.ReadTags(session, into.EventsFrom);
        var result = ResultOf(session, request, keys);
        return result with { IsTruncated = result.IsTruncated || !more };
    }

    private KeysResult ResultOf(SqliteSession session, KeysRequest request, List<JournalKey> keys)
    {
        var isThere = request.From == 0 || (keys.Count > 0 && keys[0].Ordering == request.From);
        // No query is needed to know that there are no open transactions. So the next poll closes a gap that deleted rows left.
        return new(keys, [], NoTransactions)
        {
            IsTruncated = keys.Count >= request.Limit,
            LastIssued = isThere ? null : _numbering.LastIssued(session),
        };
    }
}
