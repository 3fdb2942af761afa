using Throttled.Journal.Relational;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Doctor;

/// <summary>Which tables the tags are in.</summary>
/// <param name="InTable">Whether the tag table has rows.</param>
/// <param name="InColumn">Whether one of the last 1,000 events has a tag in its own row.</param>
internal sealed record TagPlaces(bool InTable, bool InColumn);

/// <summary>How a database creates an index.</summary>
/// <param name="IsNamed">Whether the statement needs a name. PostgreSQL names an index itself, and can create it without blocking writers.</param>
/// <param name="Note">What to know before running the statement.</param>
internal sealed record IndexStatement(bool IsNamed, string Note)
{
    internal static IndexStatement PostgreSql { get; } = new(IsNamed: false, "if it fails, drop the invalid index that it leaves");

    internal static IndexStatement Sqlite { get; } = new(IsNamed: true, "writers wait for it, and fail after their busy_timeout: stop them first");

    internal static IndexStatement SqlServer { get; } = new(IsNamed: true, "writers wait until it is created; Enterprise and Azure SQL can add WITH (ONLINE = ON)");
}

/// <summary>Checks tables, columns and indexes. It reads nothing itself.</summary>
/// <param name="layout">The name of the layout.</param>
/// <param name="tables">The names of the layout, or those of the options instead.</param>
/// <param name="catalog">What the database has.</param>
/// <param name="create">How the database creates an index.</param>
internal sealed class TableFindings(string layout, JournalTables tables, TableCatalog catalog, IndexStatement create)
{
    private const string Subject = "tables";
    private const string UseCsv = "use the tag mode csv (--tag-mode csv, TagMode.Csv, tag-read-mode = Csv)";
    private const string UseTable = "use the tag mode table (--tag-mode table, TagMode.TagTable, tag-read-mode = TagTable)";

    private bool UsesTagTable => tables.TagMode == TagMode.TagTable;

    private string JournalName => catalog.NameOfJournal(tables);

    private string TagName => catalog.NameOfTags(tables);

    /// <summary>Whether everything that a reader needs is there.</summary>
    internal bool IsReadable => catalog.Journal(tables).IsThere && !MissingColumns().Any() && (!UsesTagTable || catalog.Tags(tables).IsThere);

    internal IEnumerable<Finding> Columns()
    {
        if (catalog.Journal(tables).IsHidden)
            yield break;
        if (!catalog.Journal(tables).IsThere)
        {
            yield return NoJournal();
            yield break;
        }
        var missing = MissingColumns().ToList();
        foreach (var (setting, column) in missing)
            yield return Finding.Bad(Subject, $"{JournalName} has no column '{column}' ({setting})", Other() ?? $"Correct '{setting}', or choose another --layout");
        if (missing.Count == 0)
            yield return Finding.Good(Subject, $"{JournalName} has the columns of the layout '{layout}', which {WriterOf(layout)} writes");
        if (UsesTagTable && !catalog.Tags(tables).IsThere)
        {
            yield return Finding.Bad(
                "tags", $"The tag mode is table, but there is no table {TagName}",
                catalog.Journal(tables).Columns.Contains(tables.TagsColumn)
                    ? $"The journal has the column '{tables.TagsColumn}': {UseCsv}"
                    : "Start the write side once with auto-initialize, or name the table with --tag-table");
        }
    }

    internal IEnumerable<Finding> Tags(TagPlaces places)
    {
        if (UsesTagTable && !places.InTable && places.InColumn)
            yield return Finding.Bad("tags", $"The tag mode is table, but {TagName} is empty, and events have tags in the column '{tables.TagsColumn}'", $"The tags are in the column: {UseCsv}");
        else if (!UsesTagTable && places is { InTable: true, InColumn: false })
            yield return Finding.Bad("tags", $"The tag mode is csv, but the last events have no tag in the column '{tables.TagsColumn}', and {TagName} has tags", $"The tags are in the table: {UseTable}");
        else if (UsesTagTable && places.InColumn)
            yield return Finding.Warning("tags", $"Some of the last events have tags in the column '{tables.TagsColumn}', but the tag mode is table: queries by tag do not find these tags", "Let all write plugins store tags in the same place");
        else
            yield return Finding.Good("tags", UsesTagTable ? $"in the table {TagName}" : $"in the column '{tables.TagsColumn}' of the journal: queries by tag read all events after their offset");
    }

    internal IEnumerable<Finding> Indexes()
    {
        var missing = Missing().ToList();
        foreach (var (index, health, effect) in missing)
            yield return new(health, "indexes", effect, index);
        if (missing.Count == 0)
            yield return Finding.Good("indexes", "none is missing");
    }

    private IEnumerable<(string Index, Health Health, string Effect)> Missing()
    {
        if (!catalog.Journal(tables).HasIndex(tables.OrderingColumn))
            yield return (Create("", tables.JournalTable, tables.OrderingColumn, tables.OrderingColumn), Health.Bad, $"{JournalName} has no index on '{tables.OrderingColumn}': each poll reads the whole table");
        if (!catalog.Journal(tables).HasIndex(tables.PersistenceIdColumn, tables.SequenceNumberColumn))
            yield return (Create("UNIQUE ", tables.JournalTable, $"{tables.PersistenceIdColumn}_{tables.SequenceNumberColumn}", tables.PersistenceIdColumn, tables.SequenceNumberColumn), Health.Bad, $"{JournalName} has no index on '{tables.PersistenceIdColumn}' and '{tables.SequenceNumberColumn}': each page of an id reads the whole table");
        if (UsesTagTable && !catalog.Tags(tables).HasIndex(tables.TagColumn, tables.TagOrderingColumn))
            yield return (Create("", tables.TagTable, "tag_ordering", tables.TagColumn, tables.TagOrderingColumn), Health.Warning, $"{TagName} has no index on '{tables.TagColumn}' and '{tables.TagOrderingColumn}': queries by tag read the tags of all events");
    }

    // The note is between /* and */, because a narrow screen breaks the line, and what is copied must stay one statement.
    private string Create(string unique, string table, string suffix, params string[] columns)
    {
        var name = create.IsNamed ? catalog.Dialect.Quote($"{table}_{suffix}_idx") : "CONCURRENTLY";
        return $"CREATE {unique}INDEX {name} ON {catalog.Dialect.Table(tables.Schema, table)} ({string.Join(", ", columns.Select(catalog.Dialect.Quote))}); /* {create.Note} */";
    }

    private Finding NoJournal() => Finding.Bad(
        Subject,
        $"There is no table {JournalName}{(TableOptions.Layouts.GetValueOrDefault(layout)?.JournalTable == tables.JournalTable ? $", which the layout '{layout}' has" : "")}",
        Other() ?? (catalog.JournalsBeside(tables) is { Count: > 0 } there
            ? KnownTables.Remedy(there).TrimEnd('.')
            : "Start the write side once with auto-initialize, or name the table with --journal-table"));

    // The layouts of the older plugins have the same table name, so the columns decide.
    private string? Other()
    {
        var other = TableOptions.Layouts.FirstOrDefault(
            known => known.Key != layout && new TableFindings(known.Key, TableCatalog.Placed(known.Value, tables), catalog, create).HasJournal);
        return other.Key is { } name
            ? $"The layout '{name}' fits the table {catalog.NameOfJournal(TableCatalog.Placed(other.Value, tables))}, which {WriterOf(name)} writes: use --layout {name}, and table-mapping = {name} in the application"
            : null;
    }

    private bool HasJournal => catalog.Journal(tables).IsThere && !MissingColumns().Any();

    private IEnumerable<ColumnSetting> MissingColumns()
    {
        var columns = catalog.Journal(tables).Columns;
        return MissingColumnException.ReadColumns(tables).Where(each => !columns.Contains(each.Column));
    }

    private static string WriterOf(string layout) => layout switch
    {
        "default" => "Akka.Persistence.Sql",
        "sqlite" => "the older Akka.Persistence.Sqlite",
        "postgresql" => "the older Akka.Persistence.PostgreSql",
        "sql-server" => "the older Akka.Persistence.SqlServer",
        _ => "the older Akka.Persistence.MySql",
    };
}
