namespace Throttled.Journal.Sqlite;

/// <summary>
/// The tables as Akka.NET's own plugins create them, without the indexes that no query uses. The tag table is clustered by
/// ordering, so one look-up finds the tags of an event. It also has the index that reading by tag needs.
/// </summary>
internal sealed class SqliteSchema(JournalTables tables)
{
    private readonly SqliteDialect _dialect = new();

    /// <summary>Creates what is missing.</summary>
    internal IEnumerable<string> Create()
    {
        yield return CreateJournal();
        if (tables.TagMode != TagMode.TagTable)
            yield break;
        yield return CreateTagTable();
        yield return CreateTagIndex();
    }

    /// <summary>Creates the index that reading by tag needs.</summary>
    internal string CreateTagIndex() =>
        $"CREATE INDEX IF NOT EXISTS {Q($"{tables.TagTable}_tag_ordering_idx")} ON {Q(tables.TagTable)} "
            + $"({Q(tables.TagColumn)}, {Q(tables.TagOrderingColumn)})";

    /// <summary>
    /// Parameters: deleted, persistence id, sequence number, timestamp, payload, serializer id, manifest; then tags in <see
    /// cref="TagMode.Csv"/>; then the writer's id if there is a column for it.
    /// </summary>
    internal string InsertEvent()
    {
        var columns = tables.WrittenColumns().Select(Q).ToList();
        var values = Enumerable.Range(1, columns.Count).Select(_dialect.Parameter);
        return $"INSERT INTO {Q(tables.JournalTable)} ({string.Join(", ", columns)}) VALUES ({string.Join(", ", values)})";
    }

    /// <summary>Parameters: ordering, tag, sequence number, persistence id. A tag that an event has twice is stored once.</summary>
    internal string InsertTag() =>
        $"INSERT OR IGNORE INTO {Q(tables.TagTable)} ({Q(tables.TagOrderingColumn)}, {Q(tables.TagColumn)}, "
        + $"{Q(tables.TagSequenceNumberColumn)}, {Q(tables.TagPersistenceIdColumn)}) VALUES (?1, ?2, ?3, ?4)";

    private string CreateJournal() =>
        $"""
        CREATE TABLE IF NOT EXISTS {Q(tables.JournalTable)} (
            {Q(tables.OrderingColumn)} INTEGER NOT NULL PRIMARY KEY{(IsLegacy() ? "" : " AUTOINCREMENT")},
            {Q(tables.DeletedColumn)} INTEGER NOT NULL,
            {Q(tables.PersistenceIdColumn)} NVARCHAR(255) NOT NULL,
            {Q(tables.SequenceNumberColumn)} BIGINT NOT NULL,
            {Q(tables.TimestampColumn)} BIGINT NOT NULL,
            {Q(tables.PayloadColumn)} BLOB NOT NULL,
            {Q(tables.SerializerIdColumn)} INTEGER NULL,
            {Q(tables.ManifestColumn)} NVARCHAR(500) NULL,
            {TagsColumn()}{WriterColumn()}UNIQUE ({Q(tables.PersistenceIdColumn)}, {Q(tables.SequenceNumberColumn)}))
        """;

    private string TagsColumn() => tables.TagMode == TagMode.Csv ? $"{Q(tables.TagsColumn)} NVARCHAR(2000) NULL, " : "";

    private string WriterColumn() => tables.WriterUuidColumn is { } writer ? $"{Q(writer)} NVARCHAR(128) NULL, " : "";

    private string CreateTagTable() =>
        $"""
        CREATE TABLE IF NOT EXISTS {Q(tables.TagTable)} (
            {Q(tables.TagOrderingColumn)} BIGINT NOT NULL,
            {Q(tables.TagColumn)} NVARCHAR(64) NOT NULL,
            {Q(tables.TagSequenceNumberColumn)} BIGINT NOT NULL,
            {Q(tables.TagPersistenceIdColumn)} NVARCHAR(255) NOT NULL,
            PRIMARY KEY ({Q(tables.TagOrderingColumn)}, {Q(tables.TagColumn)})) WITHOUT ROWID
        """;

    // The older Akka.Persistence.Sqlite creates its table without AUTOINCREMENT. Only exactly its layout is created that way. A
    // layout with a tag table or another name is a newer plugin's or new, and gets AUTOINCREMENT.
    private bool IsLegacy() => tables == JournalTables.Sqlite;

    private string Q(string identifier) => _dialect.Quote(identifier);
}
