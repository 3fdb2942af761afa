using System.Data.Common;
using System.Globalization;
using Throttled.Testing;
using Throttled.Tool.Reshard;

namespace Throttled.Tool.Tests.Reshard;

/// <summary>Databases of one kind, and what the tests do to them by hand.</summary>
public abstract class ReshardHost
{
    /// <summary>What the tool calls the kind.</summary>
    internal abstract string Database { get; }

    /// <summary>The layout of the older plugin, and its name.</summary>
    internal abstract (string Layout, JournalTables Tables) Older { get; }

    /// <summary>The statements that make the tables as the older plugin does.</summary>
    internal abstract string CreateOlder { get; }

    internal abstract string True { get; }

    /// <summary>A database with nothing in it.</summary>
    /// <returns>Its connection string.</returns>
    internal abstract string NewDatabase();

    internal abstract Task<DbConnection> ConnectAsync(string database);

    internal abstract IShardDatabase Open(string database, JournalTables tables);

    internal abstract JournalAppender OpenAppender(string database, JournalTables? tables);

    internal abstract JournalReader OpenReader(string database, JournalOptions? options);

    internal static string Quoted(string name) => $"\"{name.Replace("\"", "\"\"")}\"";

    internal string Quoted(JournalTables tables, string table) =>
        tables.Schema is { } schema && Database != "sqlite" ? $"{Quoted(schema)}.{Quoted(table)}" : Quoted(table);

    internal string[] NewDatabases(int count) => [.. Enumerable.Range(0, count).Select(_ => NewDatabase())];

    /// <returns>How many rows it changed.</returns>
    internal async Task<int> RunAsync(string database, string sql)
    {
        await using var connection = await ConnectAsync(database);
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        return await command.ExecuteNonQueryAsync();
    }

    internal async Task<long> NumberAsync(string database, string sql)
    {
        await using var connection = await ConnectAsync(database);
        return await connection.ScalarAsync<long>(sql);
    }

    /// <summary>All rows of a table, each as a line, by the database's own driver.</summary>
    internal async Task<string[]> DumpAsync(string database, string table)
    {
        await using var connection = await ConnectAsync(database);
        await using var command = connection.CreateCommand();
        command.CommandText = $"SELECT * FROM {table}";
        await using var row = await command.ExecuteReaderAsync();
        List<string> lines = [];
        while (await row.ReadAsync())
            lines.Add(string.Join('|', Enumerable.Range(0, row.FieldCount).Select(column => $"{row.GetName(column)}={Text(row.GetValue(column))}")));
        return [.. lines.Order(StringComparer.Ordinal)];
    }

    internal async Task<string[]> DumpAsync(IEnumerable<string> databases, string table)
    {
        List<string> lines = [];
        foreach (var database in databases)
            lines.AddRange(await DumpAsync(database, table));
        return [.. lines.Order(StringComparer.Ordinal)];
    }

    internal ToolRun Tool(string command, IEnumerable<string> from, IEnumerable<string> to, params string[] more) => new(
        [command, "--database", Database, .. from.SelectMany(each => (string[])["--from", each]), .. to.SelectMany(each => (string[])["--to", each]), .. more]);

    private static string Text(object value) => value switch
    {
        DBNull => "NULL",
        byte[] bytes => $"x{Convert.ToHexString(bytes)}",
        string text => $"'{text}'",
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };
}
