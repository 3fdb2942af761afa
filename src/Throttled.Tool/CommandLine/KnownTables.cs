using System.Data.Common;
using Microsoft.Data.SqlClient;
using Microsoft.Data.Sqlite;
using Npgsql;

namespace Throttled.Tool.CommandLine;

/// <summary>Finds the tables of a database that have the name of any layout's journal table. An error about a missing table lists them.</summary>
internal static class KnownTables
{
    private const string OfSqlite = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')";

    private const string OfPostgreSql =
        """
        SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p', 'v', 'f') AND CASE WHEN @schema = '' THEN pg_table_is_visible(c.oid) ELSE n.nspname = @schema END
        """;

    internal const string OfSqlServer =
        "SELECT o.name FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id WHERE o.type IN ('U', 'V') AND s.name = CASE WHEN @schema = '' THEN SCHEMA_NAME() ELSE @schema END";

    internal static IReadOnlyList<string> Names { get; } = [.. TableOptions.Layouts.Values.Select(layout => layout.JournalTable).Distinct()];

    /// <summary>What to do if the journal table does not exist.</summary>
    /// <param name="there">The known tables that the database has.</param>
    internal static string Remedy(IReadOnlyList<string> there) => there.Count == 0
        ? $"The database has no journal table under a known name ({string.Join(", ", Names)})."
        : $"The database has {(there.Count == 1 ? "the journal table" : "the journal tables")} {string.Join(" and ", there.Select(name => $"'{name}'"))}: correct --journal-table and --layout.";

    /// <summary>The remedy, as a sentence after an error. Empty if the journal table exists, or if the database cannot be read.</summary>
    internal static async Task<string> HintAsync(string kind, string connectionString, JournalTables tables, CancellationToken cancellation)
    {
        try
        {
            var all = await AllAsync(kind, connectionString, tables.Schema, cancellation);
            var comparer = kind == OptionText.Postgres ? StringComparer.Ordinal : StringComparer.OrdinalIgnoreCase;
            return all.Contains(tables.JournalTable, comparer) ? "" : $" {Remedy([.. Names.Where(name => all.Contains(name, comparer))])}";
        }
        catch (Exception error) when (error is DbException or ArgumentException or InvalidOperationException)
        {
            // The error itself says what is wrong with the connection.
            return "";
        }
    }

    private static async Task<IReadOnlyList<string>> AllAsync(string kind, string connectionString, string? schema, CancellationToken cancellation)
    {
        await using DbConnection connection = kind switch
        {
            OptionText.Sqlite => new SqliteConnection(new SqliteConnectionStringBuilder(connectionString) { Mode = SqliteOpenMode.ReadOnly, Pooling = false }.ConnectionString),
            OptionText.Postgres => new NpgsqlConnection(new NpgsqlConnectionStringBuilder(connectionString) { Pooling = false }.ConnectionString),
            _ => new SqlConnection(new SqlConnectionStringBuilder(connectionString) { Pooling = false, ConnectRetryCount = 0 }.ConnectionString),
        };
        await connection.OpenAsync(cancellation);
        await using var command = connection.CreateCommand();
        command.CommandText = kind switch { OptionText.Sqlite => OfSqlite, OptionText.Postgres => OfPostgreSql, _ => OfSqlServer };
        if (kind != OptionText.Sqlite)
        {
            var parameter = command.CreateParameter();
            (parameter.ParameterName, parameter.Value) = ("@schema", schema ?? "");
            command.Parameters.Add(parameter);
        }
        await using var row = await command.ExecuteReaderAsync(cancellation);
        List<string> names = [];
        while (await row.ReadAsync(cancellation))
            names.Add(row.GetString(0));
        return names;
    }
}
