namespace Throttled.Testing;

/// <summary>The layouts of Akka.NET's users, by name, and one with the most difficult names.</summary>
public static class Layouts
{
    public static string[] Names { get; } = ["default", "sqlite", "postgresql", "sql-server", "mysql", "unusual names"];

    /// <summary>Each layout in each tag mode.</summary>
    public static TheoryData<string, TagMode> All()
    {
        var data = new TheoryData<string, TagMode>();
        foreach (var layout in Names)
        {
            data.Add(layout, TagMode.TagTable);
            data.Add(layout, TagMode.Csv);
        }
        return data;
    }

    public static JournalTables Named(string name, TagMode tags = TagMode.TagTable) => Named(name) with { TagMode = tags };

    private static JournalTables Named(string name) => name switch
    {
        "default" => JournalTables.Default,
        "sqlite" => JournalTables.Sqlite,
        "postgresql" => JournalTables.PostgreSql,
        "sql-server" => JournalTables.SqlServer,
        "mysql" => JournalTables.MySql,
        "unusual names" => new JournalTables
        {
            Schema = "[dbo]; \"схема\" 'x'",
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
