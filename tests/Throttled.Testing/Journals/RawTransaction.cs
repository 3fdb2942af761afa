using System.Data.Common;
using Throttled.Journal.Relational;

namespace Throttled.Testing;

/// <summary>
/// A transaction of a test. Its events have their orderings at once, and exist when it commits. It is rolled back if it is
/// disposed before.
/// </summary>
public sealed class RawTransaction(JournalUnderTest journal, DbConnection connection) : IAsyncDisposable
{
    private DbTransaction? _transaction;

    /// <summary>Inserts events. Events that have an ordering keep it.</summary>
    /// <returns>The orderings of the events.</returns>
    public async Task<IReadOnlyList<long>> InsertAsync(params IEnumerable<JournalEvent> events)
    {
        _transaction ??= await connection.BeginTransactionAsync();
        List<long> orderings = [];
        foreach (var each in events)
        {
            orderings.Add(await InsertAsync(each));
            if (journal.Tables.TagMode == TagMode.TagTable)
                await InsertTagsAsync(each, orderings[^1]);
        }
        return orderings;
    }

    public async Task RunAsync(string sql)
    {
        await using var command = await CommandAsync(sql);
        await command.ExecuteNonQueryAsync();
    }

    public async Task<T> ScalarAsync<T>(string sql)
    {
        await using var command = await CommandAsync(sql);
        return (T)(await command.ExecuteScalarAsync())!;
    }

    public Task CommitAsync() => _transaction!.CommitAsync();

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_transaction is not null)
            await _transaction.DisposeAsync();
        await connection.DisposeAsync();
    }

    private async Task<DbCommand> CommandAsync(string sql)
    {
        _transaction ??= await connection.BeginTransactionAsync();
        var command = connection.CreateCommand();
        (command.Transaction, command.CommandText) = (_transaction, sql);
        return command;
    }

    private async Task<long> InsertAsync(JournalEvent each)
    {
        var tables = journal.Tables;
        List<(string Column, object Value)> values =
        [
            (tables.DeletedColumn, false), (tables.PersistenceIdColumn, each.PersistenceId), (tables.SequenceNumberColumn, each.SequenceNumber),
            (tables.TimestampColumn, each.Timestamp), (tables.PayloadColumn, each.Payload.ToArray()),
            (tables.SerializerIdColumn, each.SerializerId ?? 0), (tables.ManifestColumn, each.Manifest),
        ];
        if (tables.TagMode == TagMode.Csv)
            values.Add((tables.TagsColumn, CsvTags.Format(each.Tags, tables.TagSeparator)));
        if (each.Ordering > 0)
            values.Add((tables.OrderingColumn, each.Ordering));
        await using var command = Insert(values, each.Ordering > 0 ? journal.InsertNumberedEvent : journal.InsertEvent);
        return (long)(await command.ExecuteScalarAsync())!;
    }

    private async Task InsertTagsAsync(JournalEvent each, long ordering)
    {
        var tables = journal.Tables;
        foreach (var tag in each.Tags)
        {
            await using var command = Insert(
                [(tables.TagOrderingColumn, ordering), (tables.TagColumn, tag), (tables.TagSequenceNumberColumn, each.SequenceNumber),
                    (tables.TagPersistenceIdColumn, each.PersistenceId)],
                (columns, values) => $"INSERT INTO {journal.TagTable} ({columns}) VALUES ({values})");
            await command.ExecuteNonQueryAsync();
        }
    }

    private DbCommand Insert(List<(string Column, object Value)> values, Func<string, string, string> insert)
    {
        var command = connection.CreateCommand();
        command.Transaction = _transaction;
        var columns = string.Join(", ", values.Select(each => journal.Quote(each.Column)));
        command.CommandText = insert(columns, string.Join(", ", values.Select((_, i) => $"@p{i}")));
        for (var i = 0; i < values.Count; i++)
            Bind(command, $"p{i}", values[i].Value);
        return command;
    }

    private static void Bind(DbCommand command, string name, object value)
    {
        var parameter = command.CreateParameter();
        (parameter.ParameterName, parameter.Value) = (name, value);
        command.Parameters.Add(parameter);
    }
}
