using Throttled.Journal.Relational;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Doctor;

/// <summary>A table of the database.</summary>
/// <param name="Columns">Its columns; empty if there is no such table.</param>
/// <param name="Indexes">The columns of each index, the primary key included. Partial indexes are left out.</param>
internal sealed record KnownTable(IReadOnlySet<string> Columns, IReadOnlyList<IReadOnlyList<string>> Indexes)
{
    internal bool IsThere => Columns.Count > 0;

    /// <summary>Whether the login may not use the schema, so it is not known whether the table is there.</summary>
    internal bool IsHidden { get; init; }

    /// <summary>Whether an index begins with these columns, so that it finds them in order. In SQLite, the case of a name does not matter.</summary>
    internal bool HasIndex(params string[] columns) => Indexes.Any(index => index.Take(columns.Length).SequenceEqual(columns, StringComparer.OrdinalIgnoreCase));
}

/// <summary>The tables of a database that have the names of any layout.</summary>
internal sealed class TableCatalog
{
    private readonly Dictionary<string, KnownTable> _tables = [];

    private TableCatalog(SqlDialect dialect) => Dialect = dialect;

    internal SqlDialect Dialect { get; }

    /// <summary>Reads the given tables, and those of all other layouts.</summary>
    /// <param name="dialect">Quotes the names.</param>
    /// <param name="tables">The given tables.</param>
    /// <param name="read">Reads a table by its quoted name.</param>
    internal static async Task<TableCatalog> ReadAsync(SqlDialect dialect, JournalTables tables, Func<string, Task<KnownTable>> read)
    {
        var catalog = new TableCatalog(dialect);
        foreach (var name in TableOptions.Layouts.Values.Select(layout => Placed(layout, tables)).Prepend(tables).SelectMany(each => new[] { catalog.NameOfJournal(each), catalog.NameOfTags(each) }).Distinct())
            catalog._tables[name] = await read(name);
        return catalog;
    }

    /// <summary>A layout in the schema of the given tables.</summary>
    internal static JournalTables Placed(JournalTables layout, JournalTables tables) => layout with { Schema = tables.Schema ?? layout.Schema };

    internal string NameOfJournal(JournalTables tables) => Dialect.Table(tables.Schema, tables.JournalTable);

    internal string NameOfTags(JournalTables tables) => Dialect.Table(tables.Schema, tables.TagTable);

    /// <summary>The journal tables of all layouts that exist in the schema of these tables.</summary>
    internal IReadOnlyList<string> JournalsBeside(JournalTables tables) =>
        [.. TableOptions.Layouts.Values.Where(layout => Journal(Placed(layout, tables)).IsThere).Select(layout => layout.JournalTable).Distinct()];

    internal KnownTable Journal(JournalTables tables) => _tables[NameOfJournal(tables)];

    internal KnownTable Tags(JournalTables tables) => _tables[NameOfTags(tables)];
}
