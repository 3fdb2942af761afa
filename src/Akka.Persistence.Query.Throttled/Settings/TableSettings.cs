using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>Reads the names of tables and columns.</summary>
internal static class TableSettings
{
    /// <summary>The keys of all layouts.</summary>
    internal static IReadOnlyList<string> Layouts { get; } = ["default", "sqlite", "postgresql", "sql-server", "sqlserver", "mysql"];

    /// <summary>The key of the section of the tables' layout.</summary>
    internal static string Mapping(SettingReader settings) => settings.OneOf(
        MappingKey(settings.Text("table-compatibility-mode")), [.. Layouts.Select(layout => (layout, layout))]);

    /// <summary>
    /// The key of the setting that names the layout. Its older name wins over <c>table-mapping</c>, as in Akka.Persistence.Sql.
    /// </summary>
    internal static string MappingKey(string? compatibilityMode) =>
        string.IsNullOrEmpty(compatibilityMode) ? "table-mapping" : "table-compatibility-mode";

    internal static JournalTables Read(SettingReader settings, string mapping)
    {
        var names = settings.Section(mapping);
        return new()
        {
            Schema = names.Text("schema-name") is { Length: > 0 } schema ? schema : null,
            JournalTable = Of(nameof(JournalTables.JournalTable)),
            OrderingColumn = Of(nameof(JournalTables.OrderingColumn)),
            DeletedColumn = Of(nameof(JournalTables.DeletedColumn)),
            PersistenceIdColumn = Of(nameof(JournalTables.PersistenceIdColumn)),
            SequenceNumberColumn = Of(nameof(JournalTables.SequenceNumberColumn)),
            TimestampColumn = Of(nameof(JournalTables.TimestampColumn)),
            TagsColumn = Of(nameof(JournalTables.TagsColumn)),
            PayloadColumn = Of(nameof(JournalTables.PayloadColumn)),
            SerializerIdColumn = Of(nameof(JournalTables.SerializerIdColumn)),
            ManifestColumn = Of(nameof(JournalTables.ManifestColumn)),
            WriterUuidColumn = null,
            TagTable = Of(nameof(JournalTables.TagTable)),
            TagOrderingColumn = Of(nameof(JournalTables.TagOrderingColumn)),
            TagColumn = Of(nameof(JournalTables.TagColumn)),
            TagPersistenceIdColumn = Of(nameof(JournalTables.TagPersistenceIdColumn)),
            TagSequenceNumberColumn = Of(nameof(JournalTables.TagSequenceNumberColumn)),
            TagMode = TagModeOf(settings),
            TagSeparator = settings.Character("tag-separator"),
        };

        string Of(string name) => names.Text(SettingNames.LayoutKeys[name]);
    }

    private static TagMode TagModeOf(SettingReader settings) => settings.Text("tag-read-mode").Equals("Both", StringComparison.OrdinalIgnoreCase)
        ? throw settings.Invalid("tag-read-mode", "TagTable or Csv. If the write plugin writes both, choose one that has the tags of all events")
        : settings.OneOf("tag-read-mode", (nameof(TagMode.TagTable), TagMode.TagTable), (nameof(TagMode.Csv), TagMode.Csv));
}
