namespace Throttled.Journal.Contract;

/// <summary>The layouts that Akka.NET's users have, by name; and one whose names are as bad as names can be.</summary>
public static class Layouts
{
    public static JournalTables Named(string name, TagMode tags = TagMode.TagTable) => Named(name) with { TagMode = tags };

    private static JournalTables Named(string name) => name switch
    {
        "default" => JournalTables.Default,
        "sqlite" => JournalTables.Sqlite,
        "postgresql" => JournalTables.PostgreSql,
        "unusual names" => new JournalTables
        {
            JournalTable = "My \"events\"; DROP",
            OrderingColumn = "Order",
            DeletedColumn = "select",
            PersistenceIdColumn = "it's an id",
            SequenceNumberColumn = "número",
            TimestampColumn = "table",
            PayloadColumn = "a.b",
            SerializerIdColumn = "%s {0} $1 ?1 @p",
            ManifestColumn = "[manifest]",
            WriterUuidColumn = "`writer`",
            TagsColumn = "the tags",
            TagSeparator = ',',
            TagTable = "Tags of \"events\"",
            TagOrderingColumn = "where",
            TagColumn = "from",
            TagSequenceNumberColumn = "group",
            TagPersistenceIdColumn = "user",
        },
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "There is no such layout."),
    };
}
