using System.Data.Common;
using System.Globalization;

namespace Throttled.Projections.Tests.Merging;

public abstract partial class MergeContract
{
    protected abstract string Schema { get; }

    protected abstract Task<DbConnection> OpenAsync();

    protected virtual Task CloseAsync() => Task.CompletedTask;

    protected static string Quote(string name) => $"\"{name.Replace("\"", "\"\"")}\"";

    internal ProjectionBatch Batch(DbTransaction transaction) => new("accounts", [], transaction, Dialect);

    protected Task WriteAsync<TRow>(MergeTable<TRow> description, params TRow[] rows) => WriteToAsync(_table, description, rows);

    protected async Task WriteToAsync<TRow>(string table, MergeTable<TRow> description, TRow[] rows)
    {
        await using var transaction = await _connection.BeginTransactionAsync();
        await description.WriteAsync(Batch(transaction), table, rows, default);
        await transaction.CommitAsync();
    }

    protected async Task ExecuteAsync(string text)
    {
        await using var command = Command(text);
        await command.ExecuteNonQueryAsync();
    }

    protected async Task<IReadOnlyList<string>> QueryAsync(string text)
    {
        await using var command = Command(text);
        await using var reader = await command.ExecuteReaderAsync();
        var rows = new List<string>();
        while (await reader.ReadAsync())
            rows.Add(string.Join('|', Enumerable.Range(0, reader.FieldCount).Select(i => Convert.ToString(reader[i], CultureInfo.InvariantCulture))));
        return rows;
    }

    protected DbCommand Command(string text)
    {
        var command = _connection.CreateCommand();
        command.CommandText = text;
        return command;
    }

    private Task CreateAsync() => ExecuteAsync(
        $"CREATE TABLE {_table} (id {KeyType} PRIMARY KEY, owner {TextType}, note {TextType}, balance bigint, seen bigint, born bigint)");

    private Task<IReadOnlyList<string>> RowsAsync() =>
        QueryAsync($"SELECT id, owner, note, balance, seen, born FROM {_table} ORDER BY id");
}
