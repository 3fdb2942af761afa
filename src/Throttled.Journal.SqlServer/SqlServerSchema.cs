using static Throttled.Journal.SqlServer.SqlServerDialect;

namespace Throttled.Journal.SqlServer;

/// <summary>
/// The tables as Akka.NET's own plugins create them, without the indexes that no query uses, and with the index that reading by
/// tag needs. As in those plugins, texts have the collation of the database.
/// </summary>
/// <remarks>
/// The keys are within the server's limits: 900 bytes for a clustered key and 1,700 for others, with two bytes a character.
/// Persistence id and sequence number need 518 bytes; ordering and tag need 136.
/// https://learn.microsoft.com/sql/sql-server/maximum-capacity-specifications-for-sql-server
/// </remarks>
internal sealed class SqlServerSchema(JournalTables tables)
{
    // The longest type that is not a LOB, because an event may have many tags.
    private const string TagsType = "NVARCHAR(4000)";

    private readonly SqlServerDialect _dialect = new();

    /// <summary>
    /// Locks out other creators until the end of the transaction. Without the error, the server would go on if it could not
    /// give the lock. https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-getapplock-transact-sql
    /// </summary>
    internal const string TakeTurns =
        """
        DECLARE @turn INT;
        EXEC @turn = sp_getapplock @Resource = N'throttled', @LockMode = N'Exclusive', @LockOwner = N'Transaction';
        IF @turn < 0 RAISERROR(N'sp_getapplock returned %d for the lock ''throttled'', which who creates tables must have; try again.', 16, 1, @turn)
        """;

    internal string Journal => _dialect.Table(tables.Schema, tables.JournalTable);

    internal string TagTable => _dialect.Table(tables.Schema, tables.TagTable);

    /// <summary>Creates what is missing. Two concurrent creators would both find nothing, so a lock runs them one by one.</summary>
    internal IEnumerable<string> Create()
    {
        yield return TakeTurns;
        // CREATE SCHEMA must be the only statement of its batch.
        if (tables.Schema is { } schema)
            yield return $"IF SCHEMA_ID({Text(schema)}) IS NULL EXEC({Text($"CREATE SCHEMA {Q(schema)}")})";
        yield return _dialect.CreateTable(Journal, JournalColumns());
        if (tables.TagMode != TagMode.TagTable)
            yield break;
        yield return _dialect.CreateTable(TagTable, TagColumns());
        yield return CreateTagIndex();
    }

    // An index of another name is enough too.
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
