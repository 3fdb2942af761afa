using Throttled.Journal.Sql;

namespace Throttled.Journal.SqlServer;

/// <summary>
/// The texts of the statements that read the journal. A statement for several ids, gaps or orderings takes them as JSON: a parameter of it
/// needs no type that somebody would have to create.
/// </summary>
internal sealed class SqlServerStatements
{
    private readonly JournalTables _tables;
    private readonly int? _maxPayloadBytes;
    private volatile TextStatements _texts;

    /// <param name="tables">The tables.</param>
    /// <param name="maxPayloadBytes">Payloads above it are left out; null leaves none out.</param>
    internal SqlServerStatements(JournalTables tables, int? maxPayloadBytes = null)
    {
        (_tables, _maxPayloadBytes) = (tables, maxPayloadBytes);
        var dialect = new SqlServerDialect();
        var rows = Rowed();
        var tags = dialect.Quote(tables.TagsColumn);
        JournalTable = rows.Journal;
        TagTable = rows.TagTable;
        _texts = Of(SqlServerText.Unknown, SqlServerText.Unknown);
        Ordered = Window(rows, "", "@p3");
        FirstIds = SkipScan(rows, "", "@p1");
        FromEnd = rows.FromEnd + OneWorker;
        LastKey = rows.LastKey;
        Keys = new(rows.From(rows.KeyColumns) + OneWorker, Gaps(rows, rows.KeyColumns));
        TaggedKeys = new(rows.From($"{rows.KeyColumns}, {tags}") + OneWorker, Gaps(rows, $"{rows.KeyColumns}, {tags}"));
        RowsFrom = rows.From(rows.RowColumns) + OneWorker;
        Rows = $"SELECT e.* FROM {Orderings} CROSS APPLY (SELECT TOP (1) {rows.RowColumns} {rows.FromJournal} WHERE {rows.Ordering} = r.n) AS e{OneWorker}";
        Tags = $"SELECT e.* FROM {Orderings} CROSS APPLY (SELECT TOP ({All}) {rows.TagOrdering}, {rows.Tag} {rows.FromTags} WHERE {rows.TagOrdering} = r.n) AS e{OneWorker}";
        TagsBetween = $"SELECT {rows.TagOrdering}, {rows.Tag} {rows.FromTags} "
            + $"WHERE {rows.TagOrdering} >= @p1 AND {rows.TagOrdering} <= @p2 ORDER BY {rows.TagOrdering}{OneWorker}";
        FirstTagged = rows.FirstTagged;
        JournalColumns = $"SELECT TOP (0) {rows.RowColumns} {rows.FromJournal}";
        TagColumns = $"SELECT TOP (0) {rows.Tag}, {rows.TagOrdering} {rows.FromTags}";
        CreateTagIndex = $"CREATE INDEX {dialect.Quote(SqlServerNames.TagIndex(tables.TagTable))} ON {rows.TagTable} ({rows.Tag}, {rows.TagOrdering})";
    }

    /// <summary>The journal table, quoted, as <c>OBJECT_ID</c> parses it.</summary>
    internal string JournalTable { get; }

    /// <summary>The tag table likewise.</summary>
    internal string TagTable { get; }

    /// <summary>The page of one id. Parameters: id, first and last sequence number, how many.</summary>
    internal string Page => _texts.Page;

    /// <summary>
    /// The pages of several members: the member's place, a sequence number, and the row or NULLs. Parameters: members, each of place, id, first and
    /// last sequence number and limit; how many rows in all.
    /// </summary>
    internal string Pages => _texts.Pages;

    /// <summary>Rows in order. Parameters: position, last ordering, how many.</summary>
    internal string Ordered { get; }

    /// <summary>Rows in order whose tags column has what is asked for. Parameters: position, last ordering, tags between separators, how many.</summary>
    internal string OrderedByColumn => _texts.OrderedByColumn;

    /// <summary>An ordering that has a tag, and its row or NULLs. Parameters: position, last ordering, tag, how many.</summary>
    internal string OrderedByTable => _texts.OrderedByTable;

    /// <summary>
    /// Ids from the first on: of those that the column holds for equal, the one that was written first, the one that was written last, and
    /// whether they have events. Parameter: how many.
    /// </summary>
    internal string FirstIds { get; }

    /// <summary>The same behind one. Parameters: the id, how many.</summary>
    internal string Ids => _texts.Ids;

    /// <summary>Rows below an ordering, descending. Parameters: the ordering, how many.</summary>
    internal string FromEnd { get; }

    /// <summary>
    /// Orderings with a tag below an ordering, descending: each with its row's deleted and persistence id, or NULLs, and the tag as it is stored. Parameters: the
    /// ordering, tag, how many.
    /// </summary>
    internal string FromEndByTable => _texts.FromEndByTable;

    internal string LastKey { get; }

    internal KeyStatements Keys { get; }

    /// <summary>The keys, each with its tags column.</summary>
    internal KeyStatements TaggedKeys { get; }

    /// <summary>Whole rows. Parameters: position, how many.</summary>
    internal string RowsFrom { get; }

    /// <summary>Parameter: orderings.</summary>
    internal string Rows { get; }

    /// <summary>An ordering and a tag of it. Parameter: orderings.</summary>
    internal string Tags { get; }

    /// <summary>An ordering and a tag of it. Parameters: the first ordering, the last.</summary>
    internal string TagsBetween { get; }

    internal string FirstTagged { get; }

    /// <summary>Fails where the journal table or a column of it that is read is missing, or may not be read.</summary>
    internal string JournalColumns { get; }

    /// <summary>The same of the tag table.</summary>
    internal string TagColumns { get; }

    /// <summary>What its owner runs to make reading by tag fast.</summary>
    internal string CreateTagIndex { get; }

    /// <summary>Compares ids and tags as their columns do, from now on.</summary>
    /// <param name="ids">The column of ids.</param>
    /// <param name="tags">The column that tags are read from: that of the tag table, or the one in the journal.</param>
    internal void CompareAs(SqlServerText ids, SqlServerText tags)
    {
        if (_texts.OfIds != ids || _texts.OfTags != tags)
            _texts = Of(ids, tags);
    }

    // A permit is one statement, and that one worker of the server: guesses about members and payloads are costly enough to be shared by many.
    // https://learn.microsoft.com/sql/relational-databases/query-processing-architecture-guide#parallel-query-processing
    private const string OneWorker = " OPTION (MAXDOP 1)";

    // More than there are: with a limit within, whatever it is, the server can only seek for each, and not read the whole table to join it.
    private const string All = "2147483647";

    private const string Orderings = "OPENJSON(@p1) WITH (n BIGINT '$') AS r";

    private JournalStatements Rowed()
    {
        var dialect = new SqlServerDialect();
        // Known without reading the payload's pages: https://learn.microsoft.com/sql/t-sql/functions/datalength-transact-sql
        return new(dialect, _tables, _maxPayloadBytes is { } most ? new($"CONVERT(INT, DATALENGTH({dialect.Quote(_tables.PayloadColumn)}))", most) : null);
    }

    private TextStatements Of(SqlServerText ids, SqlServerText tags)
    {
        var rows = Rowed();
        return new()
        {
            OfIds = ids,
            OfTags = tags,
            Page = $"SELECT {rows.RowColumns} {rows.FromJournal} {Within(rows, ids.OfItsKind("@p1"), "@p2", "@p3")} OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY{OneWorker}",
            Pages = SharedPages(rows, ids.OfItsKind("r.id")),
            Ids = SkipScan(rows, $" WHERE {rows.PersistenceId} > {ids.OfItsKind("@p1")}", "@p2"),
            OrderedByTable = Joined(rows, tags.OfItsKind("@p3")),
            FromEndByTable = OfTagFromEnd(rows, tags.OfItsKind("@p2")),
            OrderedByColumn = Window(rows, Tagged(tags.Unicode(new SqlServerDialect().Quote(_tables.TagsColumn))), "@p4"),
        };
    }

    // What is kept has to be the first rows, by an order without ties, and what is sorted for it should be small: so the keys first, from the index
    // by which they are found, and then the row of each. One that is deleted meanwhile still counts as read.
    private static string SharedPages(JournalStatements rows, string id) =>
        "SELECT k.member, k.number, e.* FROM (SELECT TOP (@p2) r.member, x.number, x.place "
        + "FROM OPENJSON(@p1) WITH (member INT '$[0]', id NVARCHAR(4000) '$[1]', f BIGINT '$[2]', t BIGINT '$[3]', most INT '$[4]') AS r "
        + $"CROSS APPLY (SELECT TOP (r.most) {rows.SequenceNumber} AS number, {rows.Ordering} AS place {rows.FromJournal} {Within(rows, id, "r.f", "r.t")}) AS x "
        + $"ORDER BY r.member, x.number) AS k OUTER APPLY (SELECT TOP (1) {rows.RowColumns} {rows.FromJournal} WHERE {rows.Ordering} = k.place) AS e "
        + $"ORDER BY k.member, k.number{OneWorker}";

    private static string Within(JournalStatements rows, string id, string from, string to) =>
        $"WHERE {rows.PersistenceId} = {id} AND {rows.SequenceNumber} >= {from} AND {rows.SequenceNumber} <= {to} ORDER BY {rows.SequenceNumber}";

    private static string Window(JournalStatements rows, string condition, string limit) =>
        $"SELECT {rows.RowColumns} {rows.FromJournal} WHERE {rows.Ordering} > @p1 AND {rows.Ordering} <= @p2 {condition}"
        + $"ORDER BY {rows.Ordering} OFFSET 0 ROWS FETCH NEXT {limit} ROWS ONLY{OneWorker}";

    // By code units: whatever the column's collation makes of a text with a combining character behind the separator.
    private static string Tagged(string tags) =>
        $"AND {tags} <> N'' AND EXISTS (SELECT 1 FROM OPENJSON(@p3) WITH (tag NVARCHAR(4000) '$') AS w "
        + $"WHERE CHARINDEX(w.tag COLLATE {SqlServerText.ByCodeUnits}, {tags} COLLATE {SqlServerText.ByCodeUnits}) > 0) ";

    // The limit stands before the join, so that a page costs as many look-ups as it has rows, wherever the tag's events are.
    private static string Joined(JournalStatements rows, string tag) =>
        // A table may have a tag twice at an ordering: by persistence id, or in another case where that makes no difference to it.
        $"SELECT t.o, e.* FROM (SELECT DISTINCT TOP (@p4) {rows.TagOrdering} AS o {rows.FromTags} WHERE {rows.Tag} = {tag} "
        + $"AND {rows.TagOrdering} > @p1 AND {rows.TagOrdering} <= @p2 ORDER BY {rows.TagOrdering}) AS t "
        + $"OUTER APPLY (SELECT {rows.RowColumns} {rows.FromJournal} WHERE {rows.Ordering} = t.o) AS e ORDER BY t.o{OneWorker}";

    private static string OfTagFromEnd(JournalStatements rows, string tag) =>
        $"SELECT t.o, e.*, t.w FROM (SELECT TOP (@p3) {rows.TagOrdering} AS o, {rows.Tag} AS w {rows.FromTags} WHERE {rows.Tag} = {tag} "
        + $"AND {rows.TagOrdering} < @p1 ORDER BY {rows.TagOrdering} DESC) AS t "
        + $"OUTER APPLY (SELECT {rows.Deleted}, {rows.PersistenceId} {rows.FromJournal} WHERE {rows.Ordering} = t.o) AS e ORDER BY t.o DESC{OneWorker}";

    // One seek in the index for each id, however many events it has. A recursive part may have no TOP; that ROW_NUMBER is 1 says the same:
    // https://learn.microsoft.com/sql/t-sql/queries/with-common-table-expression-transact-sql#guidelines-for-defining-and-using-recursive-common-table-expressions
    private static string SkipScan(JournalStatements rows, string start, string limit)
    {
        var id = rows.PersistenceId;
        // Where a table without a schema has the name of the list, the list would be read in its place.
        var ids = rows.Journal.Equals("[ids]", StringComparison.OrdinalIgnoreCase) ? "their_ids" : "ids";
        return $"WITH {ids} (id) AS (SELECT s.id FROM (SELECT TOP (1) {id} AS id {rows.FromJournal}{start} ORDER BY {id}) AS s UNION ALL "
            + $"SELECT n.id FROM (SELECT journal_row.{id} AS id, ROW_NUMBER() OVER (ORDER BY journal_row.{id}) AS place "
            + $"FROM {ids} AS i JOIN {rows.Journal} AS journal_row ON journal_row.{id} > i.id) AS n WHERE n.place = 1) "
            // The limit stands right above the list, each id of which needs the one before it: so those behind the limit are never looked for. The
            // order is asked for because a nested loop that reads ahead gives rows as they come from the disk.
            + "SELECT f.id, l.id, CASE WHEN h.one IS NULL THEN 0 ELSE 1 END "
            + $"FROM (SELECT TOP ({limit}) i.id FROM {ids} AS i) AS i "
            + $"CROSS APPLY (SELECT TOP (1) {id} AS id {rows.FromJournal} WHERE {id} = i.id ORDER BY {rows.SequenceNumber}) AS f "
            + $"CROSS APPLY (SELECT TOP (1) {id} AS id {rows.FromJournal} WHERE {id} = i.id ORDER BY {rows.SequenceNumber} DESC) AS l "
            // Not EXISTS, for which the server may read the journal from its beginning to the first such row.
            + $"OUTER APPLY (SELECT TOP (1) 1 AS one {rows.FromJournal} WHERE {id} = i.id AND {rows.Deleted} = 0 ORDER BY {rows.SequenceNumber} DESC) AS h "
            + "ORDER BY i.id OPTION (MAXRECURSION 0, MAXDOP 1)";
    }

    private static string Gaps(JournalStatements rows, string columns) =>
        "SELECT TOP (@p2) e.* FROM OPENJSON(@p1) WITH (f BIGINT '$[0]', t BIGINT '$[1]') AS r "
        + $"CROSS APPLY (SELECT TOP (@p2) {columns} {rows.FromJournal} WHERE {rows.Ordering} >= r.f AND {rows.Ordering} <= r.t ORDER BY {rows.Ordering}) AS e "
        + $"ORDER BY e.{rows.Ordering}{OneWorker}";
}

/// <summary>The texts that read keys.</summary>
/// <param name="From">From a position on. Parameters: position, how many.</param>
/// <param name="InGaps">In gaps. Parameters: gaps, how many.</param>
internal sealed record KeyStatements(string From, string InGaps);

/// <summary>The texts that compare ids or tags.</summary>
internal sealed record TextStatements
{
    internal required SqlServerText OfIds { get; init; }

    internal required SqlServerText OfTags { get; init; }

    internal required string Page { get; init; }

    internal required string Pages { get; init; }

    internal required string Ids { get; init; }

    internal required string OrderedByTable { get; init; }

    internal required string FromEndByTable { get; init; }

    internal required string OrderedByColumn { get; init; }
}
