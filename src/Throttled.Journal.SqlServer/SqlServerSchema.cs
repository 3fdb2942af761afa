using static Throttled.Journal.SqlServer.SqlServerDialect;

namespace Throttled.Journal.SqlServer;

/// <summary>
/// The tables as Akka.NET's own plugins create them, but for indexes that no query reads by, and with the one that reading by
/// tag needs. Texts have the collation of the database, as there.
/// </summary>
/// <remarks>
/// Keys within the server's bounds of 900 bytes where clustered and 1,700 where not, at two bytes a character: persistence id and sequence
/// number 518, ordering and tag 136. https://learn.microsoft.com/sql/sql-server/maximum-capacity-specifications-for-sql-server
/// </remarks>
internal sealed class SqlServerSchema(JournalTables tables)
{
    // The longest that is no LOB: an event may have many tags.
    private const string TagsType = "NVARCHAR(4000)";

    private readonly SqlServerDialect _dialect = new();

    /// <summary>
    /// Until the end of the transaction nobody else creates. A turn that is not given is an error of the server's, which would go on without.
    /// https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-getapplock-transact-sql
    /// </summary>
    internal const string TakeTurns =
        """
        DECLARE @turn INT;
        EXEC @turn = sp_getapplock @Resource = N'throttled', @LockMode = N'Exclusive', @LockOwner = N'Transaction';
        IF @turn < 0 RAISERROR(N'sp_getapplock returned %d for the lock ''throttled'', which who creates tables must have; try again.', 16, 1, @turn)
        """;

    /// <summary>The journal table, quoted.</summary>
    internal string Journal => _dialect.Table(tables.Schema, tables.JournalTable);

    /// <summary>The tag table, quoted.</summary>
    internal string TagTable => _dialect.Table(tables.Schema, tables.TagTable);

    /// <summary>What is not there yet. Two that create at once would both find nothing there, so they take turns.</summary>
    internal IEnumerable<string> Create()
    {
        yield return TakeTurns;
        // CREATE SCHEMA has to be a batch of its own.
        if (tables.Schema is { } schema)
            yield return $"IF SCHEMA_ID({Text(schema)}) IS NULL EXEC({Text($"CREATE SCHEMA {Q(schema)}")})";
        yield return _dialect.CreateTable(Journal, JournalColumns());
        if (tables.TagMode != TagMode.TagTable)
            yield break;
        yield return _dialect.CreateTable(TagTable, TagColumns());
        yield return CreateTagIndex();
    }

    // An index of another name does as well.
    private string CreateTagIndex() =>
        "IF NOT EXISTS (SELECT * FROM sys.index_columns AS t JOIN sys.index_columns AS o ON o.object_id = t.object_id AND o.index_id = t.index_id "
        + $"WHERE t.object_id = OBJECT_ID({Text(TagTable)}) AND t.key_ordinal = 1 AND COL_NAME(t.object_id, t.column_id) = {Text(tables.TagColumn)} "
        + $"AND o.key_ordinal = 2 AND COL_NAME(o.object_id, o.column_id) = {Text(tables.TagOrderingColumn)}) "
        + $"CREATE INDEX {Q(SqlServerNames.TagIndex(tables.TagTable))} ON {TagTable} ({Q(tables.TagColumn)}, {Q(tables.TagOrderingColumn)})";

    private string JournalColumns() =>
        $"""

            {Q(tables.OrderingColumn)} BIGINT IDENTITY(1,1) NOT NULL PRIMARY KEY CLUSTERED,
            {Q(tables.DeletedColumn)} BIT NOT NULL,
            {Q(tables.PersistenceIdColumn)} NVARCHAR(255) NOT NULL,
            {Q(tables.SequenceNumberColumn)} BIGINT NOT NULL,
            {Q(tables.TimestampColumn)} BIGINT NOT NULL,
            {Q(tables.PayloadColumn)} VARBINARY(MAX) NOT NULL,
            {Q(tables.SerializerIdColumn)} INTEGER NULL,
            {Q(tables.ManifestColumn)} NVARCHAR(500) NULL,
            {TagsColumn()}{WriterColumn()}UNIQUE ({Q(tables.PersistenceIdColumn)}, {Q(tables.SequenceNumberColumn)})
        """;

    private string TagColumns() =>
        $"""

            {Q(tables.TagOrderingColumn)} BIGINT NOT NULL,
            {Q(tables.TagColumn)} NVARCHAR(64) NOT NULL,
            {Q(tables.TagSequenceNumberColumn)} BIGINT NOT NULL,
            {Q(tables.TagPersistenceIdColumn)} NVARCHAR(255) NOT NULL,
            PRIMARY KEY ({Q(tables.TagOrderingColumn)}, {Q(tables.TagColumn)})
        """;

    private string TagsColumn() => tables.TagMode == TagMode.Csv ? $"{Q(tables.TagsColumn)} {TagsType} NULL, " : "";

    private string WriterColumn() => tables.WriterUuidColumn is { } writer ? $"{Q(writer)} NVARCHAR(128) NULL, " : "";

    private string Q(string name) => _dialect.Quote(name);
}
