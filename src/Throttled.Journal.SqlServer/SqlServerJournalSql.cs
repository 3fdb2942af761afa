using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer;

/// <summary>
/// The SQL texts that read the journal. A statement for several ids, gaps or orderings takes them as JSON, because a JSON
/// parameter needs no type that a user must create. <see cref="AdoSql.Ids"/> returns, of the ids that are equal by the column's
/// collation, the first written, the last written, and whether they have events.
/// </summary>
internal sealed class SqlServerJournalSql : AdoSql
{
    private readonly JournalTables _tables;
    private readonly int? _maxPayloadBytes;
    private (SqlServerText Ids, SqlServerText Tags) _columns = (SqlServerText.Unknown, SqlServerText.Unknown);

    /// <param name="tables">The tables.</param>
    /// <param name="maxPayloadBytes">Larger payloads are omitted; null omits none.</param>
    internal SqlServerJournalSql(JournalTables tables, int? maxPayloadBytes = null)
        : base(new(new SqlServerDialect(), tables))
    {
        (_tables, _maxPayloadBytes) = (tables, maxPayloadBytes);
        var dialect = new SqlServerDialect();
        var common = Rowed();
        var tags = dialect.Quote(tables.TagsColumn);
        CompareAsColumns();
        Ordered = Window(common, "", "@p3");
        FirstIds = SkipScan(common, "", "@p1");
        FromEnd = common.FromEnd + OneWorker;
        Keys = new(common.From(common.KeyColumns) + OneWorker, Gaps(common, common.KeyColumns));
        TaggedKeys = new(common.From($"{common.KeyColumns}, {tags}") + OneWorker, Gaps(common, $"{common.KeyColumns}, {tags}"));
        RowsFrom = common.From(common.RowColumns) + OneWorker;
        Rows = $"SELECT e.* FROM {Orderings} CROSS APPLY (SELECT TOP (1) {common.RowColumns} {common.FromJournal} WHERE {common.Ordering} = r.n) AS e{OneWorker}";
        Tags = $"SELECT e.* FROM {Orderings} CROSS APPLY (SELECT TOP ({All}) {common.TagOrdering}, {common.Tag} {common.FromTags} WHERE {common.TagOrdering} = r.n) AS e{OneWorker}";
        TagsBetween = $"SELECT {common.TagOrdering}, {common.Tag} {common.FromTags} "
            + $"WHERE {common.TagOrdering} >= @p1 AND {common.TagOrdering} <= @p2 ORDER BY {common.TagOrdering}{OneWorker}";
        JournalColumns = $"SELECT TOP (0) {common.RowColumns} {common.FromJournal}";
        TagColumns = $"SELECT TOP (0) {common.Tag}, {common.TagOrdering} {common.FromTags}";
        CreateTagIndex = $"CREATE INDEX {dialect.Quote(SqlServerNames.TagIndex(tables.TagTable))} ON {common.TagTable} ({common.Tag}, {common.TagOrdering})";
    }

    /// <summary>The page of one id. Parameters: id, first and last sequence number, maximal number of rows.</summary>
    internal string Page { get; private set; } = "";

    /// <summary>
    /// The pages of several members: the member's index, a sequence number, and the row or NULLs. Parameters: members, each
    /// with index, id, first and last sequence number and limit; the limit of rows in total.
    /// </summary>
    internal string Pages { get; private set; } = "";

    /// <summary>Fails if the journal table or one of its columns is missing or may not be read.</summary>
    internal string JournalColumns { get; }

    /// <summary>From now on, compares ids and tags as their columns do.</summary>
    /// <param name="ids">The column of ids.</param>
    /// <param name="tags">The column of tags, in the tag table or in the journal.</param>
    internal void CompareAs(SqlServerText ids, SqlServerText tags)
    {
        if (_columns == (ids, tags))
            return;
        _columns = (ids, tags);
        CompareAsColumns();
    }

    // A permit is one statement with one worker of the server. The server overestimates the cost of members and payloads, and
    // would use several workers.
    // https://learn.microsoft.com/sql/relational-databases/query-processing-architecture-guide#parallel-query-processing
    private const string OneWorker = " OPTION (MAXDOP 1)";

    // More than any number of rows. With a limit inside, the server must seek for each member and cannot join a scan of the whole table.
    private const string All = "2147483647";

    private const string Orderings = "OPENJSON(@p1) WITH (n BIGINT '$') AS r";

    private JournalSql Rowed()
    {
        var dialect = new SqlServerDialect();
        // The server knows the length without reading the payload's pages:
        // https://learn.microsoft.com/sql/t-sql/functions/datalength-transact-sql
        return new(dialect, _tables, _maxPayloadBytes is { } most ? new($"CONVERT(INT, DATALENGTH({dialect.Quote(_tables.PayloadColumn)}))", most) : null);
    }

    private void CompareAsColumns()
    {
        var (ids, tags) = _columns;
        var common = Rowed();
        Page = $"SELECT {common.RowColumns} {common.FromJournal} {Within(common, ids.OfItsKind("@p1"), "@p2", "@p3")} OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY{OneWorker}";
        Pages = SharedPages(common, ids.OfItsKind("r.id"));
        Ids = SkipScan(common, $" WHERE {common.PersistenceId} > {ids.OfItsKind("@p1")}", "@p2");
        OrderedByTable = Joined(common, tags.OfItsKind("@p3"));
        FromEndByTable = OfTagFromEnd(common, tags.OfItsKind("@p2"));
        OrderedByColumn = Window(common, Tagged(tags.Unicode(new SqlServerDialect().Quote(_tables.TagsColumn))), "@p4");
    }

    // The kept rows must be the first ones, in an order without ties, and the sort for it should be small. So the statement first takes the keys from
    // the index that finds them, and then the row of each key. A row that is deleted meanwhile still counts as read.
    private static string SharedPages(JournalSql common, string id) =>
        "SELECT k.member, k.number, e.* FROM (SELECT TOP (@p2) r.member, x.number, x.place "
        + "FROM OPENJSON(@p1) WITH (member INT '$[0]', id NVARCHAR(4000) '$[1]', f BIGINT '$[2]', t BIGINT '$[3]', most INT '$[4]') AS r "
        + $"CROSS APPLY (SELECT TOP (r.most) {common.SequenceNumber} AS number, {common.Ordering} AS place {common.FromJournal} {Within(common, id, "r.f", "r.t")}) AS x "
        + $"ORDER BY r.member, x.number) AS k OUTER APPLY (SELECT TOP (1) {common.RowColumns} {common.FromJournal} WHERE {common.Ordering} = k.place) AS e "
        + $"ORDER BY k.member, k.number{OneWorker}";

    private static string Within(JournalSql common, string id, string from, string to) =>
        $"WHERE {common.PersistenceId} = {id} AND {common.SequenceNumber} >= {from} AND {common.SequenceNumber} <= {to} ORDER BY {common.SequenceNumber}";

    private static string Window(JournalSql common, string condition, string limit) =>
        $"SELECT {common.RowColumns} {common.FromJournal} WHERE {common.Ordering} > @p1 AND {common.Ordering} <= @p2 {condition}"
        + $"ORDER BY {common.Ordering} OFFSET 0 ROWS FETCH NEXT {limit} ROWS ONLY{OneWorker}";

    // Compares code units, so that the column's collation does not combine a separator with a combining character after it.
    private static string Tagged(string tags) =>
        $"AND {tags} <> N'' AND EXISTS (SELECT 1 FROM OPENJSON(@p3) WITH (tag NVARCHAR(4000) '$') AS w "
        + $"WHERE CHARINDEX(w.tag COLLATE {SqlServerText.ByCodeUnits}, {tags} COLLATE {SqlServerText.ByCodeUnits}) > 0) ";

    // The limit stands before the join, so a page costs one look-up per row, wherever the tag's events are.
    private static string Joined(JournalSql common, string tag) =>
        // A table may have a tag twice at an ordering: by persistence id, or in another case if the collation ignores case.
        $"SELECT t.o, e.* FROM (SELECT DISTINCT TOP (@p4) {common.TagOrdering} AS o {common.FromTags} WHERE {common.Tag} = {tag} "
        + $"AND {common.TagOrdering} > @p1 AND {common.TagOrdering} <= @p2 ORDER BY {common.TagOrdering}) AS t "
        + $"OUTER APPLY (SELECT {common.RowColumns} {common.FromJournal} WHERE {common.Ordering} = t.o) AS e ORDER BY t.o{OneWorker}";

    private static string OfTagFromEnd(JournalSql common, string tag) =>
        $"SELECT t.o, e.*, t.w FROM (SELECT TOP (@p3) {common.TagOrdering} AS o, {common.Tag} AS w {common.FromTags} WHERE {common.Tag} = {tag} "
        + $"AND {common.TagOrdering} < @p1 ORDER BY {common.TagOrdering} DESC) AS t "
        + $"OUTER APPLY (SELECT {common.Deleted}, {common.PersistenceId} {common.FromJournal} WHERE {common.Ordering} = t.o) AS e ORDER BY t.o DESC{OneWorker}";

    // One index seek for each id, however many events it has. A recursive part may have no TOP; the condition that ROW_NUMBER
    // is 1 replaces it:
    // https://learn.microsoft.com/sql/t-sql/queries/with-common-table-expression-transact-sql#guidelines-for-defining-and-using-recursive-common-table-expressions
    private static string SkipScan(JournalSql common, string start, string limit)
    {
        var id = common.PersistenceId;
        // A list with the name of a table without a schema would be read in place of the table.
        var ids = common.Journal.Equals("[ids]", StringComparison.OrdinalIgnoreCase) ? "their_ids" : "ids";
        return $"WITH {ids} (id) AS (SELECT s.id FROM (SELECT TOP (1) {id} AS id {common.FromJournal}{start} ORDER BY {id}) AS s UNION ALL "
            + $"SELECT n.id FROM (SELECT journal_row.{id} AS id, ROW_NUMBER() OVER (ORDER BY journal_row.{id}) AS place "
            + $"FROM {ids} AS i JOIN {common.Journal} AS journal_row ON journal_row.{id} > i.id) AS n WHERE n.place = 1) "
            // The limit stands directly above the list, and each id needs the one before it. So ids after the limit are never read. ORDER BY is
            // needed because a nested loop with read-ahead returns rows in the order in which the disk delivers them.
            + "SELECT f.id, l.id, CASE WHEN h.one IS NULL THEN 0 ELSE 1 END "
            + $"FROM (SELECT TOP ({limit}) i.id FROM {ids} AS i) AS i "
            + $"CROSS APPLY (SELECT TOP (1) {id} AS id {common.FromJournal} WHERE {id} = i.id ORDER BY {common.SequenceNumber}) AS f "
            + $"CROSS APPLY (SELECT TOP (1) {id} AS id {common.FromJournal} WHERE {id} = i.id ORDER BY {common.SequenceNumber} DESC) AS l "
            // Not EXISTS: for EXISTS the server may read the journal from its beginning to the first such row.
            + $"OUTER APPLY (SELECT TOP (1) 1 AS one {common.FromJournal} WHERE {id} = i.id AND {common.Deleted} = 0 ORDER BY {common.SequenceNumber} DESC) AS h "
            + "ORDER BY i.id OPTION (MAXRECURSION 0, MAXDOP 1)";
    }

    private static string Gaps(JournalSql common, string columns) =>
        "SELECT TOP (@p2) e.* FROM OPENJSON(@p1) WITH (f BIGINT '$[0]', t BIGINT '$[1]') AS r "
        + $"CROSS APPLY (SELECT TOP (@p2) {columns} {common.FromJournal} WHERE {common.Ordering} >= r.f AND {common.Ordering} <= r.t ORDER BY {common.Ordering}) AS e "
        + $"ORDER BY e.{common.Ordering}{OneWorker}";
}
