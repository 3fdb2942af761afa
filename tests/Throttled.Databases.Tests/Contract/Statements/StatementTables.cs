namespace Throttled.Databases.Tests.Contract;

public static class StatementTables
{
    /// <summary>Names that are invalid unless they are quoted, and that contain the quotes of the databases.</summary>
    public static JournalTables OddNames { get; } = new()
    {
        Schema = "my \"schema\"",
        JournalTable = "order by",
        OrderingColumn = "select",
        DeletedColumn = "is [deleted]",
        PersistenceIdColumn = "the id's",
        SequenceNumberColumn = "Sequence Number",
        TimestampColumn = "from",
        PayloadColumn = "payload]",
        SerializerIdColumn = "--",
        ManifestColumn = "`manifest`",
        WriterUuidColumn = "$1",
        TagTable = "tag\"s",
        TagOrderingColumn = "?1",
        TagColumn = "tag;",
        TagSequenceNumberColumn = "@p1",
        TagPersistenceIdColumn = "Größe",
    };
}
