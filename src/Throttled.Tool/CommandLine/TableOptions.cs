using System.CommandLine;

namespace Throttled.Tool.CommandLine;

/// <summary>The names of a journal's tables and columns: those of a layout, and the options that replace some of them.</summary>
internal static class TableOptions
{
    internal static readonly Option<string?> Layout = new("--layout")
    {
        Description = "Names of tables and columns: default, sqlite, postgresql, sql-server or mysql, as Akka.Persistence.Sql calls them",
        HelpName = "NAME",
    };

    internal static readonly Option<string?> JournalTable = new("--journal-table") { Description = "The journal table, if it is not the layout's", HelpName = "NAME" };

    internal static readonly Option<string?> TagTable = new("--tag-table") { Description = "The tag table, if it is not the layout's", HelpName = "NAME" };

    internal static readonly Option<string?> TagMode = new("--tag-mode")
    {
        Description = "Where tags are: table, or csv (a column of the journal); by default as the layout has them",
        HelpName = "MODE",
    };

    internal static readonly Option<string?> Schema = new("--schema") { Description = "The schema of these tables, on postgres", HelpName = "NAME" };

    /// <summary>The layouts that Akka.Persistence.Sql knows, by their names.</summary>
    internal static readonly IReadOnlyDictionary<string, JournalTables> Layouts = new Dictionary<string, JournalTables>()
    {
        ["default"] = JournalTables.Default,
        ["sqlite"] = JournalTables.Sqlite,
        ["postgresql"] = JournalTables.PostgreSql,
        ["sql-server"] = JournalTables.SqlServer,
        ["mysql"] = JournalTables.MySql,
    };

    internal static IEnumerable<Option> All => [Layout, TagMode, JournalTable, TagTable, Schema];

    /// <exception cref="CommandException">There is no such layout.</exception>
    internal static string LayoutOf(ParseResult parsed) => Given(parsed) ?? "default";

    /// <param name="parsed">The command line.</param>
    /// <param name="database">sqlite or postgres.</param>
    /// <param name="configured">The tables of the application's configuration; null if there is none. The options replace them.</param>
    /// <exception cref="CommandException">The options do not fit together.</exception>
    internal static JournalTables Read(ParseResult parsed, string database, JournalTables? configured = null)
    {
        var tables = Given(parsed) is { } layout ? Layouts[layout] : configured ?? Layouts["default"];
        var schema = OptionText.Named(parsed, Schema);
        var isSqlite = database == OptionText.Sqlite;
        if (schema is not null && isSqlite)
            throw new CommandException($"--schema is '{schema}', and SQLite has no schemas. Leave --schema out.");
        return tables with
        {
            // SQLite cannot use a layout's own schema either.
            Schema = isSqlite ? null : schema ?? tables.Schema,
            JournalTable = OptionText.Named(parsed, JournalTable) ?? tables.JournalTable,
            TagTable = OptionText.Named(parsed, TagTable) ?? tables.TagTable,
            TagMode = OptionText.OneOf(parsed, TagMode, ["table", "csv"]) switch
            {
                "table" => Journal.TagMode.TagTable,
                "csv" => Journal.TagMode.Csv,
                _ => tables.TagMode,
            },
        };
    }

    /// <summary>The layout that the option names; null if the option is not given.</summary>
    /// <exception cref="CommandException">There is no such layout.</exception>
    internal static string? Given(ParseResult parsed) => OptionText.OneOf(parsed, Layout, [.. Layouts.Keys]);
}
