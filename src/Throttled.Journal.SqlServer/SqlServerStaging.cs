namespace Throttled.Journal.SqlServer;

/// <summary>
/// Temporary tables for the bulk copy of events and tags, and the statement that moves them to the journal. A bulk copy directly into the journal
/// would not guarantee that orderings follow the order of the events, and would not return the orderings.
/// </summary>
/// <remarks>
/// The tables live as long as the connection, so the statement has one plan. They are empty before each append, because its
/// transaction copies, moves and removes the rows.
/// </remarks>
internal sealed class SqlServerStaging(JournalTables tables)
{
    /// <summary>The table of <see cref="EventRows"/>.</summary>
    internal const string Events = "#throttled_events";

    /// <summary>The table of <see cref="TagRows"/>.</summary>
    internal const string Tags = "#throttled_tags";

    // The index of the event, by which both tables are clustered.
    private const string Number = "n";

    /// <summary>
    /// Texts have the maximal length of a column, so that the journal's own column refuses a text that is too long. They have
    /// the collation of the journal's database, which may differ from that of tempdb.
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

    /// <summary>Whether a column is an identity; no row if there is no such column. Parameters: table, quoted; column.</summary>
    internal const string IsIdentity = "SELECT is_identity FROM sys.columns WHERE object_id = OBJECT_ID(@p1) AND name = @p2";

    private const string Source = $"FROM {Events} AS e ORDER BY e.{Number}";

    private readonly SqlServerDialect _dialect = new();
    private readonly SqlServerSchema _schema = new(tables);

    /// <summary>
    /// Moves events, with tags in their column. SQL Server guarantees that identities follow the ORDER BY:
    /// https://learn.microsoft.com/sql/t-sql/statements/insert-transact-sql#remarks. Parameter: the writer's id, even if there is no column for it.
    /// </summary>
    internal string MoveEvents() => $"{Insert()} {Select()}; TRUNCATE TABLE {Events}";

    /// <summary>
    /// Moves events, and their tags to the tag table. The n-th event has the n-th of the issued orderings, in whatever order
    /// OUTPUT returns them. OUTPUT needs an INTO if the table has triggers. Parameter: as in <see cref="MoveEvents"/>.
    /// </summary>
    /// <remarks>
    /// All sides of the join are sorted. The server assumes that a table variable has one row, and its plan for one row would be slow for many. The
    /// hint stands at each join, because a hint for the whole statement would also apply to the check of a foreign key.
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

    // One value for each written column.
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
