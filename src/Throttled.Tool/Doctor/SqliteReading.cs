using Microsoft.Data.Sqlite;

namespace Throttled.Tool.Doctor;

/// <summary>Reads the facts of a SQLite file.</summary>
internal sealed class SqliteReading(SqliteConnection connection)
{
    private const string Columns = "SELECT name FROM pragma_table_info(@table)";
    private const string PrimaryKey = "SELECT name FROM pragma_table_info(@table) WHERE pk > 0 ORDER BY pk";
    private const string Indexes = "SELECT name FROM pragma_index_list(@table) WHERE partial = 0";

    // With the columns of the table's key, which end each index and order its rows too.
    private const string IndexColumns = "SELECT name FROM pragma_index_xinfo(@table) ORDER BY seqno";

    internal string Version => connection.ServerVersion;

    internal KnownTable Table(string quoted)
    {
        var table = quoted[1..^1].Replace("\"\"", "\"", StringComparison.Ordinal);
        var indexes = Names(Indexes, table).Select(IReadOnlyList<string> (index) => Names(IndexColumns, index));
        return new(Names(Columns, table).ToHashSet(StringComparer.OrdinalIgnoreCase), [Names(PrimaryKey, table), .. indexes]);
    }

    internal bool Any(string text) => Rows(text, row => row.FieldCount).Count > 0;

    internal JournalSize Size(string file, SizeSql sql)
    {
        var bytes = new[] { file, $"{file}-wal" }.Where(File.Exists).Sum(path => new FileInfo(path).Length);
        return SizeSql.Of(bytes, Rows(sql.Ends, row => (row.GetInt64(0), row.GetInt64(1))));
    }

    private IReadOnlyList<string> Names(string text, string table) => Rows(text, row => row.IsDBNull(0) ? "" : row.GetString(0), table);

    private List<T> Rows<T>(string text, Func<SqliteDataReader, T> read, string? table = null)
    {
        using var command = connection.CreateCommand();
        command.CommandText = text;
        if (table is not null)
            command.Parameters.AddWithValue("@table", table);
        using var reader = command.ExecuteReader();
        List<T> rows = [];
        while (reader.Read())
            rows.Add(read(reader));
        return rows;
    }
}
