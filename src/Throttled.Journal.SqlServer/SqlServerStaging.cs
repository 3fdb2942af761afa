namespace Throttled.Journal.SqlServer;

/// <summary>
/// Temporary tables into which events and tags are copied in bulk, and the statement that moves them to the journal. A bulk copy straight into
/// the journal would not promise that orderings follow the order of the events, nor tell which they got.
/// </summary>
/// <remarks>
/// They live as long as the connection, so that there is one plan for the statement; and are empty before each append, because rows are copied,
/// moved and removed in its transaction.
/// </remarks>
internal sealed class SqlServerStaging(JournalTables tables)
{
    /// <summary>Takes <see cref="EventRows"/>.</summary>
    internal const string Events = "#throttled_events";

    /// <summary>Takes <see cref="TagRows"/>.</summary>
    internal const string Tags = "#throttled_tags";

    // The place of the event, by which both are clustered.
    private const string Number = "n";

    /// <summary>
    /// Texts are as long as any column can have them, so that it is the journal's column that refuses one; and in the collation of its database, which
    /// may not be that of tempdb.
    /// </summary>
    internal const string Create =
        $"""
        CREATE TABLE {Events} (
            {Number} BIGINT NOT NULL PRIMARY KEY CLUSTERED,
            persistence_id NVARCHAR(MAX) COLLATE DATABASE_DEFAULT NOT NULL,
            sequence_number BIGINT NOT NULL,
            created BIGINT NOT NULL,
            payload VARBINARY(MAX) NOT NULL,
            serializer_id INTEGER NULL,
            manifest NVARCHAR(MAX) COLLATE DATABASE_DEFAULT NOT NULL,
            tags NVARCHAR(MAX) COLLATE DATABASE_DEFAULT NULL);
        CREATE TABLE {Tags} ({Number} BIGINT NOT NULL, tag NVARCHAR(MAX) COLLATE DATABASE_DEFAULT NOT NULL);
        CREATE CLUSTERED INDEX {Number} ON {Tags} ({Number})
        """;

    /// <summary>Whether the database numbers a column; no row where it is not there. Parameters: table, quoted; column.</summary>
    internal const string IsIdentity = "SELECT is_identity FROM sys.columns WHERE object_id = OBJECT_ID(@p1) AND name = @p2";

    private const string Source = $"FROM {Events} AS e ORDER BY e.{Number}";

    private readonly SqlServerDialect _dialect = new();
    private readonly SqlServerSchema _schema = new(tables);

    /// <summary>
    /// Moves events, and tags to the column beside them. Identities follow the ORDER BY, which is promised:
    /// https://learn.microsoft.com/sql/t-sql/statements/insert-transact-sql#remarks. Parameter: the writer's id, also where it has no column.
    /// </summary>
    internal string MoveEvents() => $"{Insert()} {Select()}; TRUNCATE TABLE {Events}";

    /// <summary>
    /// Moves events, and tags to the table of tags. The n-th event has the n-th of the orderings issued, in whatever order they are told. OUTPUT
    /// has to have an INTO where the table has triggers. Parameter: as in <see cref="MoveEvents"/>.
    /// </summary>
    /// <remarks>
    /// All sides of the join are in order. A plan for the one row that a table variable is thought to have would be slow with many. The hint is each join's:
    /// one for the statement would hold for the check of a foreign key too.
    /// </remarks>
    internal string MoveEventsAndTags() =>
        $"""
        DECLARE @orderings TABLE (ordering BIGINT NOT NULL PRIMARY KEY);
        {Insert()} OUTPUT inserted.{Q(tables.OrderingColumn)} INTO @orderings (ordering) {Select()};
        INSERT INTO {_schema.TagTable} ({Q(tables.TagOrderingColumn)}, {Q(tables.TagColumn)}, {Q(tables.TagSequenceNumberColumn)}, {Q(tables.TagPersistenceIdColumn)})
        SELECT o.ordering, t.tag, e.sequence_number, e.persistence_id
        FROM (SELECT ordering, ROW_NUMBER() OVER (ORDER BY ordering) AS {Number} FROM @orderings) AS o
        INNER MERGE JOIN {Events} AS e ON e.{Number} = o.{Number}
        INNER MERGE JOIN {Tags} AS t ON t.{Number} = o.{Number};
        TRUNCATE TABLE {Events};
        TRUNCATE TABLE {Tags}
        """;

    private string Insert() => $"INSERT INTO {_schema.Journal} ({string.Join(", ", tables.WrittenColumns().Select(Q))})";

    private string Select() => $"SELECT {string.Join(", ", Values())} {Source}";

    // One for each of the written columns.
    private IEnumerable<string> Values()
    {
        yield return "0";
        yield return "e.persistence_id";
        yield return "e.sequence_number";
        yield return "e.created";
        yield return "e.payload";
        yield return "e.serializer_id";
        yield return "e.manifest";
        if (tables.TagMode == TagMode.Csv)
            yield return "e.tags";
        if (tables.WriterUuidColumn is not null)
            yield return "@p1";
    }

    private string Q(string name) => _dialect.Quote(name);
}
