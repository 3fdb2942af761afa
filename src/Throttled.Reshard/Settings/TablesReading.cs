using System.CommandLine;
using Throttled.Journal;

namespace Throttled.Reshard.Settings;

/// <summary>The names of tables and columns: a layout, and what differs.</summary>
internal static class TablesReading
{
    // The tables of highest sequence numbers as Akka.Persistence.Sql and the older plugins call them.
    private static readonly Dictionary<string, (JournalTables Tables, string Metadata)> Layouts = new()
    {
        ["default"] = (JournalTables.Default, "journal_metadata"),
        ["sqlite"] = (JournalTables.Sqlite, "journal_metadata"),
        ["postgresql"] = (JournalTables.PostgreSql, "metadata"),
        ["sql-server"] = (JournalTables.SqlServer, "Metadata"),
        ["mysql"] = (JournalTables.MySql, "metadata"),
    };

    /// <exception cref="SettingException">They do not fit together.</exception>
    internal static MovedTables Read(ParseResult parsed, string database)
    {
        var (tables, metadata) = Layouts[OptionText.OneOf(parsed, Options.Layout, [.. Layouts.Keys]) ?? "default"];
        var schema = OptionText.Named(parsed, Options.Schema);
        var isSqlite = database == MoveSettings.Sqlite;
        if (schema is not null && isSqlite)
            throw new SettingException($"--schema is '{schema}', and SQLite has no schemas. Leave --schema out.");
        var named = tables with
        {
            // A layout's own schema means nothing to SQLite either.
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
