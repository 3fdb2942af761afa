using Throttled.Journal.Sql;

namespace Throttled.Journal.Sqlite;

/// <summary>Reads what the tail polls. Nothing can still commit below what it finds. Thread-safe; the sessions are not.</summary>
internal sealed class SqliteTail(JournalTables tables, SqliteStatements statements, SqliteRows rows)
{
    private static readonly IReadOnlySet<string> NoHolders = new HashSet<string>();

    private readonly SqliteNumbering _numbering = new(tables);

    internal TailAnchor Anchor(SqliteSession session) =>
        new(session.Statement(statements.LastKey).First<JournalKey?>(static row => SqliteRows.Key(row)), NoHolders);

    internal KeysFound Keys(SqliteSession session, KeysQuery query)
    {
        KeysFound? found = null;
        session.InTransaction(() => found = query.Rows is null ? Look(session, query) : LookWithRows(session, query, query.Rows));
        return found!;
    }

    internal void Rows(SqliteSession session, RowsStatement wanted) => session.InTransaction(() =>
    {
        var statement = session.Statement(statements.Row);
        var more = true;
        for (var i = 0; i < wanted.Orderings.Count && more; i++)
        {
            if (statement.Bind(1, wanted.Orderings[i]).Step() && !SqliteRows.IsDeleted(statement))
                more = wanted.Add(rows.Event(statement));
            statement.Reset();
        }
        rows.ReadTags(session, wanted.EventsFrom);
    });

    private KeysFound Look(SqliteSession session, KeysQuery query)
    {
        if (query.WithTags && tables.TagMode == TagMode.Csv)
            return LookWithTags(session, query);
        var keys = new List<JournalKey>();
        var statement = session.Statement(statements.KeysFrom).Bind(1, query.From).Bind(2, query.Limit);
        while (statement.Step())
            keys.Add(SqliteRows.Key(statement));
        statement.Reset();
        var found = Found(session, query, keys);
        return query.WithTags && keys.Count > 0
            ? found with { Tags = rows.TagsBetween(session, new(query.From + 1, keys[^1].Ordering)) }
            : found;
    }

    private KeysFound LookWithTags(SqliteSession session, KeysQuery query)
    {
        var keys = new List<JournalKey>();
        var tags = new Dictionary<long, IReadOnlyList<string>>();
        var statement = session.Statement(statements.KeysFromWithTags).Bind(1, query.From).Bind(2, query.Limit);
        while (statement.Step())
        {
            var key = SqliteRows.Key(statement);
            keys.Add(key);
            // What is no text has no tags here: as with the key, whoever reads the row fails by that.
            if (key.Ordering > query.From && statement.IsText(3) && rows.Tags(statement, 3) is { Count: > 0 } some)
                tags.Add(key.Ordering, some);
        }
        statement.Reset();
        return Found(session, query, keys) with { Tags = tags };
    }

    private KeysFound LookWithRows(SqliteSession session, KeysQuery query, RowsStatement into)
    {
        var keys = new List<JournalKey>();
        var statement = session.Statement(statements.RowsFrom).Bind(1, query.From).Bind(2, query.Limit);
        var more = true;
        while (more && statement.Step())
        {
            var key = SqliteRows.Key(statement, id: 2);
            keys.Add(key);
            if (key.Ordering > query.From && !SqliteRows.IsDeleted(statement))
                more = into.Add(rows.Event(statement));
        }
        statement.Reset();
        rows.ReadTags(session, into.EventsFrom);
        var found = Found(session, query, keys);
        return found with { IsCut = found.IsCut || !more };
    }

    private KeysFound Found(SqliteSession session, KeysQuery query, List<JournalKey> keys)
    {
        var isThere = query.From == 0 || (keys.Count > 0 && keys[0].Ordering == query.From);
        // Known without asking, so that a gap that deleted rows left is closed by the next poll.
        return new(keys, [], NoHolders)
        {
            IsCut = keys.Count >= query.Limit,
            LastGivenOut = isThere ? null : _numbering.LastGivenOut(session),
        };
    }
}
