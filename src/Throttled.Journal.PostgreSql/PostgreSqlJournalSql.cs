using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>
/// The SQL texts that read the journal. <see cref="AdoSql.OrderedByColumn"/> takes the tags as patterns, and <see cref="AdoSql.Tags"/> returns
/// the index of an ordering.
/// </summary>
internal sealed class PostgreSqlJournalSql : AdoSql
{
    private readonly JournalTables _tables;
    private readonly int? _maxPayloadBytes;

    /// <param name="tables">The tables.</param>
    /// <param name="maxPayloadBytes">Larger payloads are omitted; null omits none.</param>
    internal PostgreSqlJournalSql(JournalTables tables, int? maxPayloadBytes = null)
        : base(new(new PostgreSqlDialect(), tables))
    {
        (_tables, _maxPayloadBytes) = (tables, maxPayloadBytes);
        var dialect = new PostgreSqlDialect();
        var common = new JournalSql(dialect, tables);
        ReadPayloadsOf("bytea");
        FirstIds = SkipScan(common, "", "$1");
        Ids = SkipScan(common, $"WHERE {common.PersistenceId} > $1 ", "$2");
        FromEnd = common.FromEnd;
        FromEndByTable = OfTagFromEnd(common);
        var tagged = $"{common.KeyColumns}, {dialect.Quote(tables.TagsColumn)}";
        Keys = new(common.From(common.KeyColumns), Gaps(common, common.KeyColumns));
        TaggedKeys = new(common.From(tagged), Gaps(common, tagged));
        Tags = EachOrdering("r.i, e.*", common.Tag, common.FromTags, common.TagOrdering);
        TagsBetween = $"SELECT {common.TagOrdering}, {common.Tag} {common.FromTags} "
            + $"WHERE {common.TagOrdering} >= $1 AND {common.TagOrdering} <= $2 ORDER BY {common.TagOrdering}";
        Probe =
            $"SELECT current_setting('max_connections')::int, pg_is_in_recovery(), {PostgreSqlCatalogSql.SequenceName}, "
            + "(SELECT seqcache FROM pg_sequence WHERE seqrelid = s.oid), (SELECT seqincrement FROM pg_sequence WHERE seqrelid = s.oid), "
            + $"{PostgreSqlCatalogSql.IsSubscribed}, has_sequence_privilege(s.oid, 'SELECT'), current_user::text, "
            + $"EXISTS (SELECT {common.RowColumns} {common.FromJournal} WHERE false), "
            + "current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0) "
            + PostgreSqlCatalogSql.FromSequence;
        TagColumns = $"SELECT {common.Tag}, {common.TagOrdering} {common.FromTags} WHERE false";
        CreateTagIndex = $"CREATE INDEX CONCURRENTLY IF NOT EXISTS {dialect.Quote(PostgreSqlNames.TagIndex(tables.TagTable))} "
            + $"ON {common.TagTable} ({common.Tag}, {common.TagOrdering})";
    }

    /// <summary>
    /// The pages of several members. The planner can run it only as a nested loop, which keeps the members in order; the engine
    /// checks that. Parameters: ids, first sequence numbers, last sequence numbers, limits; the limit of rows in total; then the named event type.
    /// </summary>
    internal string Pages { get; private set; } = "";

    /// <summary>Whole rows in gaps. Parameters as in <see cref="KeySql.InGaps"/>.</summary>
    internal string RowsInGaps { get; private set; } = "";

    /// <summary>
    /// In this order: the server's <c>max_connections</c>; whether it is a standby; the ordering's sequence, quoted; its cache; its increment;
    /// whether a subscription writes to the table; whether the sequence may be read; the user's name; the number of connections that are reserved for
    /// other users. Fails if the table is missing or may not be read. Parameters: table, column.
    /// </summary>
    internal string Probe { get; }

    internal override int PlaceOf(long named, long[] asked) => (int)named - 1;

    /// <summary>Creates the texts of whole rows for a payload type, if payloads are omitted: the SQL for a length depends on the type.</summary>
    internal void ReadPayloadsOf(string type)
    {
        var dialect = new PostgreSqlDialect();
        var payload = dialect.Quote(_tables.PayloadColumn);
        // The server knows the length of bytes and texts without reading them. JSON is delivered as its text.
        var length = type == "bytea" ? $"octet_length({payload})" : $"octet_length({payload}::text)";
        var common = new JournalSql(dialect, _tables, _maxPayloadBytes is { } most ? new(length, most) : null);
        Pages = "SELECT r.member, e.* FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::int[]) "
            + "WITH ORDINALITY AS r (id, f, t, n, member) "
            + $"CROSS JOIN LATERAL ({common.Page(common.TypedColumns(TypeUnless("$6", "$7")), "r.id", "r.f", "r.t", "r.n")}) e LIMIT $5";
        Ordered = Window(common, common.TypedColumns(TypeUnless("$4", "$5"), common.PersistenceId), "", "$3");
        OrderedByColumn = Window(common, common.TypedColumns(TypeUnless("$5", "$6"), common.PersistenceId), Tagged(dialect.Quote(_tables.TagsColumn)), "$4");
        OrderedByTable = Joined(common);
        RowsFrom = common.From(common.RowColumns);
        RowsInGaps = Gaps(common, common.RowColumns);
        Rows = EachOrdering("e.*", common.RowColumns, common.FromJournal, common.Ordering);
    }

    // NULL for the named event type. A collation may treat another manifest as equal.
    private string TypeUnless(string serializerId, string manifest)
    {
        var dialect = new PostgreSqlDialect();
        var (serializer, stored) = (dialect.Quote(_tables.SerializerIdColumn), $"coalesce({dialect.Quote(_tables.ManifestColumn)}, '')");
        return $"CASE WHEN {dialect.Quote(_tables.DeletedColumn)} THEN '{EventType.Deleted}' "
            + $"WHEN {serializer} = {serializerId} AND {stored} COLLATE \"C\" = {manifest} THEN NULL "
            + $"ELSE coalesce({serializer}::text, '') || '{EventType.Separator}' || {stored} END";
    }

    private static string Window(JournalSql common, string columns, string condition, string limit) =>
        $"SELECT {columns} {common.FromJournal} WHERE {common.Ordering} > $1 AND {common.Ordering} <= $2 {condition}"
        + $"ORDER BY {common.Ordering} LIMIT {limit}";

    // Most rows have no tags, and the comparison is cheaper than the search. LIKE may fail with the column's own collation:
    // https://www.postgresql.org/docs/current/collation.html#COLLATION-NONDETERMINISTIC
    private static string Tagged(string tags) => $"AND {tags} <> '' AND {tags} COLLATE \"C\" LIKE ANY ($3) ";

    // The limit stands before the join, so a page costs one look-up per row, wherever the tag's events are. OFFSET 0 stops the
    // planner from replacing the look-ups by a join with a scan of the whole journal.
    private static string Joined(JournalSql common) =>
        // A table may have a tag twice at an ordering: by persistence id, or in another case if the collation ignores case.
        $"SELECT t.o, e.* FROM (SELECT DISTINCT {common.TagOrdering} AS o {common.FromTags} WHERE {common.Tag} = $3 "
        + $"AND {common.TagOrdering} > $1 AND {common.TagOrdering} <= $2 ORDER BY {common.TagOrdering} LIMIT $4) t "
        + $"LEFT JOIN LATERAL (SELECT {common.RowColumns} {common.FromJournal} WHERE {common.Ordering} = t.o OFFSET 0) e ON true "
        + "ORDER BY t.o";

    private static string OfTagFromEnd(JournalSql common) =>
        $"SELECT t.o, e.*, t.w FROM (SELECT {common.TagOrdering}, {common.Tag} {common.FromTags} WHERE {common.Tag} = $2 "
        + $"AND {common.TagOrdering} < $1 ORDER BY {common.TagOrdering} DESC LIMIT $3) t (o, w) "
        + $"LEFT JOIN LATERAL (SELECT {common.Deleted}, {common.PersistenceId} {common.FromJournal} WHERE {common.Ordering} = t.o OFFSET 0) e ON true "
        + "ORDER BY t.o DESC";

    // One index seek for each id, however many events it has, and a second one if its first event is deleted. Order and comparison are the column's
    // own, as in the index. The second seek has no equality, which would let the planner choose any index.
    private static string SkipScan(JournalSql common, string start, string limit)
    {
        var (id, live) = (common.PersistenceId, $"NOT {common.Deleted}");
        var first = $"ORDER BY {id}, {common.SequenceNumber} LIMIT 1";
        // A list with the name of a table without a schema would be read in place of the table.
        var ids = common.Journal == "\"ids\"" ? "their_ids" : "ids";
        return $"WITH RECURSIVE {ids} (id, live) AS ((SELECT {id}, {live} {common.FromJournal} {start}{first}) UNION ALL "
            + $"SELECT n.* FROM {ids} i CROSS JOIN LATERAL (SELECT {id}, {live} {common.FromJournal} WHERE {id} > i.id {first}) n) "
            + $"SELECT i.id, i.live OR (SELECT true {common.FromJournal} WHERE {id} >= i.id AND {id} <= i.id AND {live} {first}) IS NOT NULL "
            + $"FROM {ids} i LIMIT {limit}";
    }

    private static string Gaps(JournalSql common, string columns) =>
        "SELECT e.* FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t) CROSS JOIN LATERAL ("
        + $"SELECT {columns} {common.FromJournal} WHERE {common.Ordering} >= r.f AND {common.Ordering} <= r.t "
        + $"ORDER BY {common.Ordering} LIMIT $3) e ORDER BY 1 LIMIT $3";

    // OFFSET 0 stops the planner from replacing the look-ups by a join with a scan of the whole table.
    private static string EachOrdering(string result, string columns, string from, string ordering) =>
        $"SELECT {result} FROM unnest($1::bigint[]) WITH ORDINALITY AS r (n, i) CROSS JOIN LATERAL "
        + $"(SELECT {columns} {from} WHERE {ordering} = r.n OFFSET 0) e";
}
