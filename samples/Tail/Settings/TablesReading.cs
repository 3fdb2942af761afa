using System.CommandLine;
using Throttled.Journal;

namespace Tail.Settings;

/// <summary>The names of tables and columns: a layout, and what differs.</summary>
internal static class TablesReading
{
    private static readonly Dictionary<string, JournalTables> Layouts = new()
    {
        ["default"] = JournalTables.Default,
        ["sqlite"] = JournalTables.Sqlite,
        ["postgresql"] = JournalTables.PostgreSql,
        ["sql-server"] = JournalTables.SqlServer,
        ["mysql"] = JournalTables.MySql,
    };

    /// <exception cref="TailException">They do not fit together.</exception>
    internal static JournalTables Read(ParseResult parsed, string database)
    {
        var layout = SettingsReading.OneOf(TailOptions.Layout, parsed, [.. Layouts.Keys]) ?? "default";
        var tables = Layouts[layout];
        var schema = SettingsReading.Named(TailOptions.Schema, parsed);
        if (schema is not null && database == "sqlite")
            throw new TailException($"--schema is '{schema}', and SQLite has no schemas. Leave --schema out.");
        return tables with
        {
            // A layout's own schema means nothing to SQLite either.
            Schema = database == "sqlite" ? null : schema ?? tables.Schema,
            JournalTable = SettingsReading.Named(TailOptions.Table, parsed) ?? tables.JournalTable,
            TagTable = SettingsReading.Named(TailOptions.TagTable, parsed) ?? tables.TagTable,
            TagMode = SettingsReading.OneOf(TailOptions.TagMode, parsed, ["table", "csv"]) switch
            {
                "table" => TagMode.TagTable,
                "csv" => TagMode.Csv,
                _ => tables.TagMode,
            },
        };
    }
}
