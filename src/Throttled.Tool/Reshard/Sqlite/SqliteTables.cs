using Throttled.Journal.Sqlite;

namespace Throttled.Tool.Reshard;

/// <summary>Reads a journal's tables through one connection.</summary>
internal sealed class SqliteTables(JournalTables tables, Func<string, PreparedStatement> prepare)
{
    private const string OfTable = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE";
    private const string OfView = "SELECT name FROM sqlite_schema WHERE type = 'view' AND name = ?1 COLLATE NOCASE";
    private const string OfIndexes = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1 COLLATE NOCASE AND sql IS NOT NULL ORDER BY name";
    private const string Columns = "SELECT name, type FROM pragma_table_xinfo(?1) WHERE hidden = 0 ORDER BY cid";

    // SQLite creates it with the first AUTOINCREMENT table.
    private const string HasSequence = "SELECT name FROM sqlite_schema WHERE name = 'sqlite_sequence'";
    private const string Sequence = "SELECT seq FROM sqlite_sequence WHERE name = ?1 COLLATE NOCASE";

    /// <returns>The SQL text that created the table; null if there is no such table.</returns>
    internal string? Sql(MovedTable table) => prepare(OfTable).Bind(1, table.Name).First(row => row.Text(0));

    internal long Count(MovedTable table) =>
        Sql(table) is null ? 0 : prepare($"SELECT count(*) FROM {Q(table.Name)}").First(row => row.Integer(0));

    /// <exception cref="ReshardException">It is a view.</exception>
    internal TableShape? Shape(MovedTable table)
    {
        if (prepare(OfView).Bind(1, table.Name).First(row => row.Text(0)) is { } view)
            throw new ReshardException($"'{view}' is a view. Give the names of the tables themselves.");
        if (Sql(table) is not { } sql)
            return null;
        // On SQLite, only AUTOINCREMENT keeps new orderings above those of deleted rows.
        var created = table.TextKey is null ? SqliteTableSql.WithAutoIncrement(sql) : sql;
        return new(table, [.. Read(Columns, table, row => new MovedColumn(row.Text(0), row.Text(1)))], created is null ? [] : [created],
            [.. Read(OfIndexes, table, row => row.Text(0))])
        {
            Refusal = created is null ? $"its '{table.OrderingColumn}' is not declared as INTEGER PRIMARY KEY, which AUTOINCREMENT needs" : null,
        };
    }

    internal long LastIssued()
    {
        var journal = new MovedTables(tables, "").Journal;
        if (Sql(journal) is null)
            return 0;
        var highest = prepare($"SELECT coalesce(max({Q(tables.OrderingColumn)}), 0) FROM {Q(tables.JournalTable)}").First(row => row.Integer(0));
        if (prepare(HasSequence).First(row => row.Text(0)) is null)
            return highest;
        return Math.Max(highest, prepare(Sequence).Bind(1, tables.JournalTable).First(row => row.Integer(0)));
    }

    /// <summary>Passes all rows of a table to a sink, in the order of its keys.</summary>
    internal async Task ScanAsync(TableShape shape, IRowSink rows, CancellationToken cancellation)
    {
        var form = new SqliteRowForm();
        var statement = prepare(Select(shape));
        try
        {
            while (statement.Step())
            {
                cancellation.ThrowIfCancellationRequested();
                if (!statement.IsText(0))
                    throw new ReshardException(
                        $"A row of the table '{shape.Table.Name}' has no persistence id that is text, or its event is not in the journal. "
                        + "Repair or delete such rows, and start again.");
                var slice = JournalSlices.OfUtf8(statement.TextBytes(0));
                await rows.TakeAsync(slice, form.Read(statement, 1, shape.Columns.Count), cancellation);
            }
        }
        finally
        {
            statement.Reset();
        }
    }

    private List<T> Read<T>(string sql, MovedTable table, Func<PreparedStatement, T> read)
    {
        var statement = prepare(sql).Bind(1, table.Name);
        List<T> rows = [];
        while (statement.Step())
            rows.Add(read(statement));
        statement.Reset();
        return rows;
    }

    private string Select(TableShape shape)
    {
        var columns = string.Join(", ", shape.Columns.Select(column => $"t.{Q(column.Name)}"));
        var id = shape.HasId ? $"t.{Q(shape.Table.IdColumn)}" : $"j.{Q(tables.PersistenceIdColumn)}";
        var join = shape.HasId ? "" : $" LEFT JOIN {Q(tables.JournalTable)} j ON j.{Q(tables.OrderingColumn)} = t.{Q(shape.Table.OrderingColumn!)}";
        string?[] keys =
        [
            shape.Table.OrderingColumn is { } ordering ? $"t.{Q(ordering)}" : null,
            shape.Table.TextKey is { } text ? $"t.{Q(text)} COLLATE BINARY" : null,
        ];
        return $"SELECT {id}, {columns} FROM {Q(shape.Table.Name)} t{join} ORDER BY {string.Join(", ", keys.Where(key => key is not null))}";
    }

    private static string Q(string name) => new SqliteDialect().Quote(name);
}
