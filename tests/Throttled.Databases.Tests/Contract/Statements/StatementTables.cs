using Throttled.Journal;

namespace Throttled.Databases.Tests.Contract;

/// <summary>Tables for <see cref="StatementTexts"/>.</summary>
public static class StatementTables
{
    /// <summary>Names that are nothing unless they are quoted, and have what some database quotes with.</summary>
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
