namespace Throttled.Journal;

/// <summary>
/// The names of a journal's tables and columns. Start from an Akka.NET layout and change what differs: <c>JournalTables.PostgreSql with {
/// JournalTable = "orders" }</c>.
/// </summary>
public sealed record JournalTables
{
    /// <summary>The layout that Akka.Persistence.Sql calls <c>default</c>. This is the default.</summary>
    public static JournalTables Default { get; } = new();

    /// <summary>
    /// The layout of the older Akka.Persistence.Sqlite, with the tags in a column of the journal. If Akka.Persistence.Sql writes this layout
    /// (<c>sqlite</c>) with a tag table, set <see cref="TagMode"/> to <see cref="TagMode.TagTable"/>.
    /// </summary>
    public static JournalTables Sqlite { get; } = new()
    {
        JournalTable = "event_journal",
        DeletedColumn = "is_deleted",
        SequenceNumberColumn = "sequence_nr",
        TimestampColumn = "timestamp",
        PayloadColumn = "payload",
        SerializerIdColumn = "serializer_id",
        WriterUuidColumn = null,
        TagMode = TagMode.Csv,
    };

    /// <summary>
    /// The layout of the older Akka.Persistence.PostgreSql, with the tags in a column of the journal. A payload of type <c>json</c> or <c>jsonb</c>
    /// is read as the UTF-8 bytes of its text. If Akka.Persistence.Sql writes this layout (<c>postgresql</c>) with a tag table, set
    /// <see cref="TagMode"/> to <see cref="TagMode.TagTable"/>.
    /// </summary>
    public static JournalTables PostgreSql { get; } = Sqlite with { Schema = "public", TimestampColumn = "created_at" };

    /// <summary>
    /// The names of the older Akka.Persistence.MySql, with the tags in a column of the journal. Use it for a journal that was moved from MySQL to
    /// another database. If Akka.Persistence.Sql writes this layout (<c>mysql</c>) with a tag table, set <see cref="TagMode"/> to
    /// <see cref="TagMode.TagTable"/>.
    /// </summary>
    public static JournalTables MySql { get; } = Sqlite with { TimestampColumn = "created_at" };

    /// <summary>
    /// The layout of the older Akka.Persistence.SqlServer, with the tags in a column of the journal. If Akka.Persistence.Sql writes this layout
    /// (<c>sql-server</c>) with a tag table, set <see cref="TagMode"/> to <see cref="TagMode.TagTable"/>.
    /// </summary>
    public static JournalTables SqlServer { get; } = new()
    {
        Schema = "dbo",
        JournalTable = "EventJournal",
        OrderingColumn = "Ordering",
        DeletedColumn = "IsDeleted",
        PersistenceIdColumn = "PersistenceId",
        SequenceNumberColumn = "SequenceNr",
        TimestampColumn = "Timestamp",
        PayloadColumn = "Payload",
        SerializerIdColumn = "SerializerId",
        ManifestColumn = "Manifest",
        TagsColumn = "Tags",
        WriterUuidColumn = null,
        TagMode = TagMode.Csv,
    };

    /// <summary>The schema of both tables; null, the default, for the connection's default schema. SQLite has no schemas and ignores it.</summary>
    public string? Schema { get; init; }

    /// <summary>The table with one row per event.</summary>
    public string JournalTable { get; init; } = "journal";

    /// <summary>The column with the event's ordering.</summary>
    public string OrderingColumn { get; init; } = "ordering";

    /// <summary>The column that marks a deleted event.</summary>
    public string DeletedColumn { get; init; } = "deleted";

    /// <summary>The column with the persistence id.</summary>
    public string PersistenceIdColumn { get; init; } = "persistence_id";

    /// <summary>The column with the sequence number.</summary>
    public string SequenceNumberColumn { get; init; } = "sequence_number";

    /// <summary>The column with the timestamp in UTC ticks.</summary>
    public string TimestampColumn { get; init; } = "created";

    /// <summary>The column with the payload.</summary>
    public string PayloadColumn { get; init; } = "message";

    /// <summary>The column with the serializer's id.</summary>
    public string SerializerIdColumn { get; init; } = "identifier";

    /// <summary>The column with the manifest.</summary>
    public string ManifestColumn { get; init; } = "manifest";

    /// <summary>The column with the writer's id; null if the table has none. Written, never read.</summary>
    public string? WriterUuidColumn { get; init; } = "writer_uuid";

    /// <summary>Where the tags are stored. <see cref="TagMode.TagTable"/> by default; <see cref="TagMode.Csv"/> in the layouts of the older plugins.</summary>
    public TagMode TagMode { get; init; } = TagMode.TagTable;

    /// <summary>The column with the tags. Used in <see cref="TagMode.Csv"/> only.</summary>
    public string TagsColumn { get; init; } = "tags";

    /// <summary>The character before, between and after the tags in <see cref="TagsColumn"/>; <c>;</c> by default.</summary>
    public char TagSeparator { get; init; } = ';';

    /// <summary>The table with one row per tag of an event. Used in <see cref="TagMode.TagTable"/> only.</summary>
    public string TagTable { get; init; } = "tags";

    /// <summary>The tag table's column with the event's ordering.</summary>
    public string TagOrderingColumn { get; init; } = "ordering_id";

    /// <summary>The tag table's column with the tag.</summary>
    public string TagColumn { get; init; } = "tag";

    /// <summary>The tag table's column with the event's sequence number. Written, never read.</summary>
    public string TagSequenceNumberColumn { get; init; } = "sequence_nr";

    /// <summary>The tag table's column with the event's persistence id. Written, never read.</summary>
    public string TagPersistenceIdColumn { get; init; } = "persistence_id";

    /// <summary>All names that are set, each with its setting.</summary>
    internal IEnumerable<(string Setting, string Name)> Names()
    {
        yield return (nameof(JournalTable), JournalTable);
        yield return (nameof(OrderingColumn), OrderingColumn);
        yield return (nameof(DeletedColumn), DeletedColumn);
        yield return (nameof(PersistenceIdColumn), PersistenceIdColumn);
        yield return (nameof(SequenceNumberColumn), SequenceNumberColumn);
        yield return (nameof(TimestampColumn), TimestampColumn);
        yield return (nameof(PayloadColumn), PayloadColumn);
        yield return (nameof(SerializerIdColumn), SerializerIdColumn);
        yield return (nameof(ManifestColumn), ManifestColumn);
        yield return (nameof(TagsColumn), TagsColumn);
        yield return (nameof(TagTable), TagTable);
        yield return (nameof(TagOrderingColumn), TagOrderingColumn);
        yield return (nameof(TagColumn), TagColumn);
        yield return (nameof(TagPersistenceIdColumn), TagPersistenceIdColumn);
        yield return (nameof(TagSequenceNumberColumn), TagSequenceNumberColumn);
        if (Schema is not null)
            yield return (nameof(Schema), Schema);
        if (WriterUuidColumn is not null)
            yield return (nameof(WriterUuidColumn), WriterUuidColumn);
    }

    /// <summary>The columns that an appender writes, in this order. The database assigns the ordering.</summary>
    internal IEnumerable<string> WrittenColumns()
    {
        yield return DeletedColumn;
        yield return PersistenceIdColumn;
        yield return SequenceNumberColumn;
        yield return TimestampColumn;
        yield return PayloadColumn;
        yield return SerializerIdColumn;
        yield return ManifestColumn;
        if (TagMode == TagMode.Csv)
            yield return TagsColumn;
        if (WriterUuidColumn is { } writer)
            yield return writer;
    }
}

/// <summary>Where a journal stores the tags of its events.</summary>
public enum TagMode
{
    /// <summary>In a table of their own, one row per tag of an event.</summary>
    TagTable,

    /// <summary>In a column of the event's row, surrounded by separators: <c>;blue;green;</c>.</summary>
    Csv,
}
