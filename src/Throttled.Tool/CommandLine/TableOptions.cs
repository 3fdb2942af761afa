using System.CommandLine;
using Throttled.Journal;

namespace Throttled.Reshard.Settings;

/// <summary>Reads the names of tables and columns: those of a layout, and the options that replace some of them.</summary>
internal static class TablesReading
{
    // With each layout: the table of highest sequence numbers of Akka.Persistence.Sql or of the older plugins.
    private static readonly Dictionary<string, (JournalTables Tables, string Metadata)> Layouts = new()
    {
        ["default"] = (JournalTables.Default, "journal_metadata"),
        ["sqlite"] = (JournalTables.Sqlite, "journal_metadata"),
        ["postgresql"] = (JournalTables.PostgreSql, "metadata"),
        ["sql-server"] = (JournalTables.SqlServer, "Metadata"),
        ["mysql"] = (JournalTables.MySql, "metadata"),
    };

    /// <exception cref="SettingException">The options do not fit together.</exception>
    internal static MovedTables Read(ParseResult parsed, string database)
    {
        var (tables, metadata) = Layouts[OptionText.OneOf(parsed, Options.Layout, [.. Layouts.Keys]) ?? "default"];
        var schema = OptionText.Named(parsed, Options.Schema);
        var isSqlite = database == MoveSettings.Sqlite;
        if (schema is not null && isSqlite)
            throw new SettingException($"--schema is '{schema}', and SQLite has no schemas. Leave --schema out.");
        var named = tables with
        {
            // SQLite cannot use a layout's own schema either.
            Schema = isSqlite ? null : schema ?? tables.Schema,
            JournalTable = OptionText.Named(parsed, Options.JournalTable) ?? tables.JournalTable,
            TagTable = OptionText.Named(parsed, Options.TagTable) ?? tables.TagTable,
            TagMode = OptionText.OneOf(parsed, Options.TagMode, ["table", "csv"]) switch
            {
                "table" => TagMode.TagTable,
                "csv" => TagMode.Csv,
                _ => tables.TagMode,
            },
        };
        var given = OptionText.Named(parsed, Options.MetadataTable);
        return new(named, given ?? metadata, NeedsMetadata: given is not null);
    }
}
