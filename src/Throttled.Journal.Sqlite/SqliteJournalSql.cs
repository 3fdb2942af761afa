using Throttled.Journal.Relational;

namespace Throttled.Journal.Sqlite;

/// <summary>The SQL texts that the reader runs.</summary>
internal sealed class SqliteJournalSql
{
    /// <param name="tables">The tables.</param>
    /// <param name="maxPayloadBytes">Larger payloads are omitted; null omits none.</param>
    internal SqliteJournalSql(JournalTables tables, int? maxPayloadBytes = null)
    {
        var dialect = new SqliteDialect();
        var common = new JournalSql(dialect, tables, maxPayloadBytes is { } most ? new(LengthOf(dialect.Quote(tables.PayloadColumn)), most) : null);
        var tags = dialect.Quote(tables.TagsColumn);
        // A list with the name of the table would be read in place of the table.
        var list = tables.JournalTable.Equals("persistence_ids", StringComparison.OrdinalIgnoreCase) ? "their_ids" : "persistence_ids";
        Page = common.Page(common.PageColumns, "?1", "?2", "?3", "?4");
        Ordered = InOrder(common, "");
        OrderedWithTag = InOrder(common, $"AND instr({tags}, ?3) ");
        TaggedOrderings = OrderingsOfTag(common, dialect);
        FirstIds = IdsFrom(common, list, ">= ''");
        IdsAfter = IdsFrom(common, list, "> ?1");
        Row = $"SELECT {common.RowColumns} {common.FromJournal} WHERE {common.Ordering} = ?1";
        FromEnd = common.FromEnd;
        TaggedOrderingsFromEnd = $"SELECT {common.TagOrdering}, {common.Tag} {common.FromTags} WHERE {IsTag(common, "?2")} "
            + $"AND {common.TagOrdering} < ?1 ORDER BY {common.TagOrdering} DESC {dialect.Limit("?3")}";
        LastKey = common.LastKey;
        KeysFrom = common.From(common.KeyColumns);
        KeysFromWithTags = common.From($"{common.KeyColumns}, {tags}");
        RowsFrom = common.From(common.RowColumns);
        TagsOfRow = $"SELECT {common.Tag} {common.FromTags} WHERE {common.TagOrdering} = ?1";
        TagsBetween = $"SELECT {common.TagOrdering}, {common.Tag} {common.FromTags} "
            + $"WHERE {common.TagOrdering} >= ?1 AND {common.TagOrdering} <= ?2";
        FirstTagged = common.FirstTagged;
        JournalColumns = $"SELECT {common.RowColumns} {common.FromJournal} {dialect.Limit("0")}";
        TagColumns = $"SELECT {common.Tag}, {common.TagOrdering} {common.FromTags} {dialect.Limit("0")}";
    }

    /// <summary>Parameters: persistence id, first and last sequence number, maximal number of rows.</summary>
    internal string Page { get; }

    /// <summary>Rows in journal order. Parameters: position, last ordering.</summary>
    internal string Ordered { get; }

    /// <summary>As <see cref="Ordered"/>, but only rows whose tag column contains a text. Parameters: position, last ordering, the text.</summary>
    internal string OrderedWithTag { get; }

    /// <summary>Parameters: position, last ordering, tag, maximal number of rows.</summary>
    internal string TaggedOrderings { get; }

    /// <summary>Persistence ids, each with a flag: it has an event that is not deleted.</summary>
    internal string FirstIds { get; }

    /// <summary>As <see cref="FirstIds"/>, but only ids after the parameter.</summary>
    internal string IdsAfter { get; }

    /// <summary>Parameter: the ordering.</summary>
    internal string Row { get; }

    /// <summary>Rows below an ordering, descending. Parameters: the ordering, maximal number of rows.</summary>
    internal string FromEnd { get; }

    /// <summary>Orderings that have a tag, below an ordering, descending, and the stored tag. Parameters: the ordering, tag, maximal number of rows.</summary>
    internal string TaggedOrderingsFromEnd { get; }

    internal string LastKey { get; }

    /// <summary>Parameters: position, maximal number of rows.</summary>
    internal string KeysFrom { get; }

    /// <summary>As <see cref="KeysFrom"/>, each with its tag column.</summary>
    internal string KeysFromWithTags { get; }

    /// <summary>As <see cref="KeysFrom"/>, but whole rows.</summary>
    internal string RowsFrom { get; }

    /// <summary>Parameter: the ordering.</summary>
    internal string TagsOfRow { get; }

    /// <summary>Orderings, each with one tag. Parameters: the first and the last ordering.</summary>
    internal string TagsBetween { get; }

    internal string FirstTagged { get; }

    /// <summary>Fails if the journal table or one of its columns is missing.</summary>
    internal string JournalColumns { get; }

    /// <summary>Fails if the tag table or one of its columns is missing.</summary>
    internal string TagColumns { get; }

    internal static string JournalMode => "PRAGMA journal_mode";

    // SQLite knows the length without reading the payload's pages: https://www.sqlite.org/lang_corefunc.html#octet_length
    private static string LengthOf(string payload) => $"octet_length({payload})";

    // No limit: SQLite computes the rows one by one, and the caller knows better when to stop.
    private static string InOrder(JournalSql common, string filter) =>
        $"SELECT {common.RowColumns} {common.FromJournal} WHERE {common.Ordering} > ?1 AND {common.Ordering} <= ?2 {filter}"
        + $"ORDER BY {common.Ordering}";

    // A table may have a tag twice at an ordering: by persistence id, or in another case if the collation ignores case.
    private static string OrderingsOfTag(JournalSql common, SqliteDialect dialect) =>
        $"SELECT DISTINCT {common.TagOrdering} {common.FromTags} WHERE {IsTag(common, "?3")} "
        + $"AND {common.TagOrdering} > ?1 AND {common.TagOrdering} <= ?2 ORDER BY {common.TagOrdering} {dialect.Limit("?4")}";

    // The hint says that half of the rows have the tag. The planner then uses an index on tag and ordering if there is one. If
    // not, it scans by ordering, which reads the table once for all pages. Without the hint, the planner would use the index on
    // the tag alone that Akka.Persistence.Sql creates, and would find and sort all rows of the tag for each page.
    // https://www.sqlite.org/lang_corefunc.html#likelihood
    private static string IsTag(JournalSql common, string tag) => $"likelihood({common.Tag} = {tag}, 0.5)";

    // One index seek per id. A scan of the whole index takes time in proportion to the number of events. Values that are not
    // text sort before '' or after x'': https://www.sqlite.org/datatype3.html#sort_order. SQLite computes the ids one by one.
    private static string IdsFrom(JournalSql common, string list, string start) =>
        $"""
        WITH RECURSIVE {list}(id) AS (
            SELECT MIN({common.PersistenceId}) {common.FromJournal} WHERE {common.PersistenceId} {start} AND {common.PersistenceId} < x''
            UNION ALL
            SELECT (SELECT MIN({common.PersistenceId}) {common.FromJournal}
                WHERE {common.PersistenceId} > {list}.id AND {common.PersistenceId} < x'')
            FROM {list} WHERE {list}.id IS NOT NULL)
        SELECT id, EXISTS (
            SELECT 1 {common.FromJournal} WHERE {common.PersistenceId} = {list}.id AND {common.Deleted} = 0)
        FROM {list} WHERE id IS NOT NULL
        """;
}
