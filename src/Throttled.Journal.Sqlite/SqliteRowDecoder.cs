using Microsoft.Data.Sqlite;
using SQLitePCL;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Sqlite;

/// <summary>
/// Decodes rows of <see cref="JournalSql.RowColumns"/> and reads their tags. Orderings below the tag horizon have no tags.
/// Thread-safe; the sessions are not.
/// </summary>
/// <param name="tables">The tables of the rows.</param>
/// <param name="sql">The SQL that reads tags.</param>
/// <param name="leavesOut">Whether payloads above a limit are omitted. Their rows have the length instead.</param>
internal sealed class SqliteRowDecoder(JournalTables tables, SqliteJournalSql sql, bool leavesOut)
{
    private readonly bool _csv = tables.TagMode == TagMode.Csv;
    private readonly int _leftOut = tables.TagMode == TagMode.Csv ? 9 : 8;
    private long _tagHorizon;

    /// <summary>The ordering below which no event has a tag.</summary>
    internal long TagHorizon
    {
        get => Volatile.Read(ref _tagHorizon);
        set => Volatile.Write(ref _tagHorizon, value);
    }

    internal static long Ordering(PreparedStatement row) => row.Integer(0);

    internal static bool IsDeleted(PreparedStatement row) => row.Integer(1) != 0;

    internal static long SequenceNumber(PreparedStatement row) => row.Integer(3);

    /// <summary>
    /// Reads a row's key. A key that cannot be read must not stop the tail for all queries. A fractional sequence number counts as the
    /// highest: a query that follows the id then reads a page, and fails on this row. NULL, a text or a blob counts as 0, the lowest:
    /// no page has such a row, so no query may wait for it or end at it. An invalid id belongs to no query.
    /// </summary>
    /// <param name="row">The statement, on the row.</param>
    /// <param name="id">The column of the persistence id. The next column has the sequence number.</param>
    internal static JournalKey Key(PreparedStatement row, int id = 1) =>
        new(row.Integer(0), row.IsText(id) ? row.Text(id) : "", KeyNumber(row, id + 1));

    /// <param name="row">The statement, on the row.</param>
    /// <param name="persistenceId">The row's persistence id if it is known; null reads it.</param>
    internal JournalEvent Event(PreparedStatement row, string? persistenceId = null) => new()
    {
        Ordering = Ordering(row),
        PersistenceId = persistenceId ?? row.Text(2),
        SequenceNumber = SequenceNumber(row),
        Timestamp = row.Integer(4),
        Payload = IsLeftOut(row) ? default : row.Bytes(5),
        SerializerId = row.IsNull(6) ? null : checked((int)row.Integer(6)),
        Manifest = row.IsNull(7) ? "" : row.CommonText(7),
        Tags = _csv && !row.IsNull(8) ? Tags(row, 8) : [],
        OmittedPayloadBytes = IsLeftOut(row) ? (int)row.Integer(_leftOut) : 0,
    };

    private static long KeyNumber(PreparedStatement row, int column) => row.StorageClass(column) switch
    {
        raw.SQLITE_INTEGER => row.Integer(column),
        raw.SQLITE_FLOAT => long.MaxValue - 1,
        _ => 0,
    };

    internal IReadOnlyList<string> Tags(PreparedStatement row, int column) => CsvTags.Parse(row.CommonText(column), tables.TagSeparator);

    /// <summary>Reads the tags of events from the tag table; does nothing if tags are in a column.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal void ReadTags(SqliteSession session, Func<long, List<JournalEvent>> eventsFrom) => ReadTags(session, eventsFrom, TagHorizon);

    /// <summary>Reads the tags of events that each have one. Ignores the tag horizon, which may be older than the events.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal void ReadAllTags(SqliteSession session, Func<long, List<JournalEvent>> eventsFrom) => ReadTags(session, eventsFrom, horizon: 0);

    // A payload that is NULL in the table is not omitted: reading it fails with the cause.
    private bool IsLeftOut(PreparedStatement row) => leavesOut && !row.IsNull(_leftOut);

    private void ReadTags(SqliteSession session, Func<long, List<JournalEvent>> eventsFrom, long horizon)
    {
        if (_csv)
            return;
        OnTagTable(() =>
        {
            foreach (var tagged in eventsFrom(horizon))
                ReadTags(session.Statement(sql.TagsOfRow), tagged);
        });
    }

    internal Dictionary<long, IReadOnlyList<string>> TagsBetween(SqliteSession session, OrderingRange range)
    {
        var all = new Dictionary<long, IReadOnlyList<string>>();
        OnTagTable(() =>
        {
            var statement = session.Statement(sql.TagsBetween).Bind(1, Math.Max(range.First, TagHorizon)).Bind(2, range.Last);
            while (statement.Step())
                TagsOf(statement.Integer(0), all).Add(statement.CommonText(1));
            statement.Reset();
        });
        return all;
    }

    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal void OnTagTable(Action read)
    {
        try
        {
            read();
        }
        catch (SqliteException error) when (SqliteFaults.IsMissingTable(error))
        {
            throw new MissingTagTableException(new SqliteDialect().Quote(tables.TagTable), error);
        }
    }

    /// <summary>Fails if the tag table is needed and cannot be read.</summary>
    /// <exception cref="MissingTagTableException">There is no such table, though there are events.</exception>
    /// <exception cref="TagTablePendingException">There is no such table, and no event.</exception>
    internal void CheckTagTable(SqliteSession session)
    {
        if (_csv)
            return;
        try
        {
            OnTagTable(() => session.Statement(sql.TagColumns).Run());
        }
        catch (MissingTagTableException error)
        {
            if (session.Statement(sql.LastKey).First(static _ => "some") is null)
                throw new TagTablePendingException(new SqliteDialect().Quote(tables.TagTable), error);
            // A writer may have created the table and written the first event between the two reads.
            OnTagTable(() => session.Statement(sql.TagColumns).Run());
        }
    }

    /// <summary>Reads the tag horizon again.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal void ReadHorizon(SqliteSession session, long settled) => OnTagTable(() =>
    {
        var statement = session.Statement(sql.FirstTagged);
        TagHorizon = statement.Step() && !statement.IsNull(0) ? Math.Min(settled + 1, statement.Integer(0)) : settled + 1;
    });

    private static void ReadTags(PreparedStatement statement, JournalEvent of)
    {
        statement.Bind(1, of.Ordering);
        List<string>? tags = null;
        while (statement.Step())
            (tags ??= []).Add(statement.CommonText(0));
        statement.Reset();
        if (tags is not null)
            of.Tag(tags);
    }

    private static List<string> TagsOf(long ordering, Dictionary<long, IReadOnlyList<string>> all)
    {
        if (all.TryGetValue(ordering, out var known))
            return (List<string>)known;
        List<string> tags = [];
        all.Add(ordering, tags);
        return tags;
    }
}
